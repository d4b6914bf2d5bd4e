#include <algorithm>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/parts.hpp"

namespace meshgauge::nccl {
namespace {

constexpr std::size_t most_pairs = 65536;  ///< of a path

void take_ring(NcclLog& log, std::string_view text, std::string_view said, std::int64_t line) {
  std::string_view head = text.substr(8);
  const auto channel = take_count(head);
  if (!starts_with(text, "Channel ") || !channel) return;
  std::vector<std::int64_t> order;
  for (std::string_view word = next_word(said); !word.empty(); word = next_word(said)) {
    const auto rank = count_of(word);
    if (!rank || order.size() == most_members) return;
    order.push_back(*rank);
  }
  const bool known = std::any_of(log.rings.begin(), log.rings.end(), [&](const NcclRing& ring) {
    return ring.channel == *channel && ring.order.size() == order.size();
  });
  if (order.size() < 2 || known || log.rings.size() == most_kept) return;
  log.rings.push_back({*channel, std::move(order), line});
}

NcclPath& path_named(NcclLog& log, std::string_view name, const NcclPath& like, std::int64_t line) {
  for (NcclPath& path : log.paths) {
    if (path.name == name && path.gpu_direct == like.gpu_direct) return path;
  }
  if (log.paths.size() == most_kept) return log.paths.back();
  log.paths.push_back({.transport = like.transport,
                       .name = std::string(name),
                       .gpu_direct = like.gpu_direct,
                       .connections = 0,
                       .line = line,
                       .adapters = {},
                       .between = {}});
  return log.paths.back();
}

void add_path(NcclLog& log, std::string_view via, std::int64_t from, std::int64_t to, std::int64_t line) {
  NcclPath path;
  std::string_view name = via;
  const std::size_t first = via.find('/');
  const std::size_t second = first == std::string_view::npos ? first : via.find('/', first + 1);
  name = via.substr(0, second);
  if (starts_with(via, "NET/") || starts_with(via, "COLLNET/")) {
    path.transport = via.front() == 'N' ? NcclTransport::network : NcclTransport::collnet;
    path.gpu_direct = contains(via, "/GDRDMA");
    if (second != std::string_view::npos) {
      std::string_view rest = via.substr(second + 1);
      if (const auto adapter = take_count(rest)) path.adapters.insert(*adapter);
    }
  } else if (starts_with(via, "SHM") || starts_with(via, "direct shared memory")) {
    path.transport = NcclTransport::shared_memory;
    name = "SHM";
  } else if (!starts_with(via, "P2P")) {
    return say(log, log.remarks, via, line);
  }
  NcclPath& kept = path_named(log, name, path, line);
  ++kept.connections;
  if (kept.adapters.size() < most_kept) kept.adapters.merge(path.adapters);
  if (from >= 0 && to >= 0 && kept.between.size() < most_pairs) {
    kept.between.emplace(std::min(from, to), std::max(from, to));
  }
}

}  // namespace

void take_channel(NcclLog& log, std::string_view text, std::int64_t line) {
  const std::size_t colon = text.find(" : ");
  if (colon == std::string_view::npos) return;
  const std::string_view said = trimmed(text.substr(colon + 3));
  const std::size_t via = said.find(" via ");
  if (via == std::string_view::npos) return take_ring(log, text, said, line);
  std::string_view rest = said;
  const auto from = take_count(rest);
  rest = trimmed(after(said.substr(0, via), "->"));
  const auto to = take_count(rest);
  add_path(log, said.substr(via + 5), from.value_or(-1), to.value_or(-1), line);
}

}  // namespace meshgauge::nccl
