#include <algorithm>
#include <array>
#include <span>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/parts.hpp"

namespace meshgauge::nccl {
namespace {

std::string_view last_word(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

}  // namespace

void say(NcclLog& log, std::vector<NcclSaying>& list, std::string_view text, std::int64_t line) {
  text = trimmed(text.substr(0, longest_text));
  for (NcclSaying& saying : list) {
    if (saying.text != text) continue;
    ++saying.times;
    return;
  }
  if (list.size() == most_kept) {
    ++log.left_out;
  } else {
    list.push_back({std::string(text), line, 1});
  }
}

void take_channels(NcclLog& log, std::string_view text) {
  const auto take = [&](std::string_view name, std::int64_t& to) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return;
    std::string_view head = text.substr(0, at);
    if (const auto count = count_of(last_word(head))) to = std::max(to, *count);
  };
  take(" coll channels", log.channels);
  take(" collnet channels", log.collnet_channels);
  take(" nvls channels", log.nvls_channels);
}

void take_variable(NcclLog& log, std::string_view text, std::int64_t line) {
  std::string_view rest = text;
  const std::string_view name = next_word(rest);
  std::string_view value = trimmed(after(rest, " to "));
  if (value.data() == nullptr || !contains(rest, "set ")) return say(log, log.remarks, text, line);
  if (!value.empty() && value.back() == '.') value.remove_suffix(1);
  value = value.substr(0, longest_text);
  for (NcclVariable& variable : log.variables) {
    if (variable.name != name || variable.value != value) continue;
    ++variable.times;
    return;
  }
  if (log.variables.size() == most_kept) {
    ++log.left_out;
  } else {
    log.variables.push_back({std::string(name), std::string(value), line, 1});
  }
}

void take_choice(NcclLog& log, std::string_view text) {
  const std::size_t at = text.find(" Bytes -> Algo ");
  const auto bytes = count_of(last_word(text.substr(0, at)));
  std::string_view rest = text.substr(at + 15);
  const std::string_view algorithm = next_word(rest), words = next_word(rest), protocol = next_word(rest);
  if (!bytes || words != "proto" || protocol.empty()) return;
  constexpr auto algorithms = std::to_array<std::string_view>(  // NCCL_ALGO_* of nccl_common.h
      {"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"});
  constexpr auto protocols = std::to_array<std::string_view>({"LL", "LL128", "SIMPLE"});  // NCCL_PROTO_*
  const auto name = [](std::string_view word, std::span<const std::string_view> names) {
    const auto number = count_of(word);
    return number && *number < static_cast<std::int64_t>(names.size()) ? names[static_cast<std::size_t>(*number)]
                                                                       : word;
  };
  const std::string_view a = name(algorithm, algorithms), p = name(protocol, protocols);
  for (NcclChoice& choice : log.choices) {
    if (choice.algorithm != a || choice.protocol != p) continue;
    choice.least = std::min(choice.least, *bytes);
    choice.most = std::max(choice.most, *bytes);
    ++choice.times;
    return;
  }
  if (log.choices.size() < most_kept) log.choices.push_back({std::string(a), std::string(p), *bytes, *bytes, 1});
}

void take_timeout(NcclLog& log, std::string_view text, std::int64_t line) {
  NcclTimeout timeout;
  timeout.line = line;
  const std::string_view before = text.substr(0, text.find("Watchdog"));
  const std::size_t rank = before.rfind("Rank ");
  if (rank != std::string_view::npos) timeout.rank = count_after(before.substr(rank), "Rank ").value_or(-1);
  timeout.sequence = count_after(text, "SeqNum=").value_or(-1);
  timeout.elements = count_after(text, "NumelIn=").value_or(-1);
  timeout.milliseconds = count_after(text, "Timeout(ms)=").value_or(0);
  const std::string_view operation = after(text, "OpType=");
  timeout.operation = std::string(operation.substr(0, operation.find_first_of(",)")));
  const bool known = std::any_of(log.timeouts.begin(), log.timeouts.end(), [&](const NcclTimeout& other) {
    return other.rank == timeout.rank && other.sequence == timeout.sequence && other.operation == timeout.operation;
  });
  if (known) return;
  constexpr std::size_t most_timeouts = 4096;
  if (log.timeouts.size() == most_timeouts) {
    ++log.left_out;
  } else {
    log.timeouts.push_back(std::move(timeout));
  }
}

}  // namespace meshgauge::nccl
