#include <algorithm>
#include <array>
#include <map>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/line.hpp"
#include "core/diagnose/nccl/log.hpp"
#include "core/diagnose/nccl/parts.hpp"
#include "core/scenario/fields.hpp"

namespace meshgauge {
namespace {

using nccl::longest_text;
using nccl::most_kept;
using nccl::most_members;

constexpr std::size_t most_hosts = 16384, most_groups = 64;  ///< of a log

/// Informational lines that say why NCCL chose as it did. NVIDIA/nccl and aws/aws-ofi-nccl, as their sources print
/// them.
constexpr auto remarkable = std::to_array<std::string_view>(
    {"NET/IB : No device found", "libibverbs", "GPU Direct RDMA Disabled", "Could not enable P2P", "peer query failed",
     "Legacy IPC not supported", "elected Provider is", "elected provider is", "No eligible providers",
     "Failed to initialize NET plugin", "plugin is unsupported", "initialization failed", "HINT:", "cuMem host",
     "retrying", "Setting NCCL_", "Plugin load"});

/// Digits and addresses aside, so that the same warning of other ranks is the same.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, longest_text)) {
    const bool number = is_digit(c) || (c >= 'a' && c <= 'f' && !out.empty() && out.back() == '#');
    if (!number) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(NcclLog& log) : log_(log) {}

  void take(const Line& line) {
    if (after_last_error_) {  // PyTorch prints what NCCL said last on a line of its own
      after_last_error_ = false;
      const std::string_view text = without_prefix(line.text);
      if (!text.empty()) warn({.level = NcclLevel::warn, .host = {}, .where = {}, .text = text}, line.number);
    }
    const bool tells = contains(line.text, "CCL") || contains(line.text, "nccl") || contains(line.text, "Last error:");
    if (!tells) return;
    number_ = line.number;
    const auto found = nccl_line_in(line.text);
    if (found) {
      ++log_.lines;
      take_nccl(*found);
    }
    // Exceptions name the version too.
    if (!found || found->level == NcclLevel::version) take_other(line.text);
  }

  void finish() {
    for (NcclGroup& group : log_.groups) {
      std::sort(group.members.begin(), group.members.end(),
                [](const NcclRank& a, const NcclRank& b) { return a.rank < b.rank; });
    }
    const NcclGroup* largest = largest_group(log_);
    if (largest == nullptr) return;
    const auto size = static_cast<std::size_t>(largest->ranks);
    std::erase_if(log_.rings, [&](const NcclRing& ring) { return ring.order.size() != size; });
  }

 private:
  void take_nccl(const NcclLine& line) {
    if (line.level == NcclLevel::version) return take_version(line.text);
    if (line.level == NcclLevel::warn) return warn(line, number_);
    const std::string_view text = line.text;
    if (starts_with(text, "Channel ") || starts_with(text, "Ring ") || starts_with(text, "Coll")) {
      return nccl::take_channel(log_, text, number_);
    }
    if (contains(text, " Bytes -> Algo ")) return nccl::take_choice(log_, text);
    if (starts_with(text, "NCCL_") || starts_with(text, "RCCL_")) return nccl::take_variable(log_, text, number_);
    if (starts_with(text, "NCCL version") || starts_with(text, "RCCL version")) return take_version(text);
    if (contains(text, " rank ") && contains(text, "comm ")) return take_member(line);
    if (starts_with(text, "Using network ")) return nccl::say(log_, log_.networks, trimmed(text.substr(14)), number_);
    if (starts_with(text, "NET/IB : Using ")) return take_adapters(line.host, text.substr(15));
    if (starts_with(text, "Bootstrap") || starts_with(text, "NET/Socket : Using ")) {
      return take_interfaces(line.host, after(text, "Using "));
    }
    if (starts_with(text, "Trees [") || starts_with(text, "Connected all trees")) {
      log_.trees = true;
      return;
    }
    if (contains(text, "Trees disabled")) log_.trees = false;  // NCCL 2.4
    if (contains(text, "coll channels")) return nccl::take_channels(log_, text);
    if (starts_with(text, "NVLS multicast support is ")) {
      if (!contains(text, "not available")) ++log_.nvls_available;
      return;
    }
    const bool tells = std::any_of(remarkable.begin(), remarkable.end(),
                                   [&](std::string_view words) { return contains(text, words); });
    if (tells) nccl::say(log_, log_.remarks, text, number_);
  }

  /// PyTorch's words about a collective or an exception of NCCL.
  void take_other(std::string_view text) {
    if (contains(text, "Watchdog caught collective operation timeout")) {
      ++log_.lines;
      return nccl::take_timeout(log_, text, number_);
    }
    if (const std::string_view last = after(text, "Last error:"); last.data() != nullptr) {
      ++log_.lines;
      if (trimmed(last).empty()) {
        after_last_error_ = true;
      } else {
        warn({.level = NcclLevel::warn, .host = {}, .where = {}, .text = trimmed(last)}, number_);
      }
      return;
    }
    for (const std::string_view name : {"ncclSystemError", "ncclUnhandledCudaError", "ncclInternalError",
                                        "ncclInvalidUsage", "ncclInvalidArgument", "ncclRemoteError", "NCCL error"}) {
      const std::size_t at = text.find(name);
      if (at == std::string_view::npos) continue;
      ++log_.lines;
      return nccl::say(log_, log_.errors, text.substr(at), number_);
    }
  }

  void take_version(std::string_view text) {
    std::string_view rest = text;
    const std::string_view library = next_word(rest);
    (void)next_word(rest);
    std::string_view version = next_word(rest);
    if (version == ":") version = next_word(rest);
    while (!version.empty() && !is_digit(version.back()) && !is_letter(version.back())) version.remove_suffix(1);
    if (!version.empty() && is_digit(version.front()))
      nccl::say(log_, log_.versions, std::string(library) + ' ' + std::string(version), number_);
  }

  std::size_t host_index(std::string_view name) {
    if (last_host_ < log_.hosts.size() && log_.hosts[last_host_].name == name) return last_host_;
    const auto known = host_of_.find(name);
    if (known != host_of_.end()) return last_host_ = known->second;
    if (log_.hosts.size() == most_hosts) {
      ++log_.left_out;
      return last_host_ = most_hosts - 1;
    }
    log_.hosts.push_back({std::string(name), {}, {}});
    return last_host_ = host_of_[std::string(name)] = log_.hosts.size() - 1;
  }

  NcclGroup* group_of(std::string_view id, std::int64_t ranks) {
    for (NcclGroup& group : log_.groups) {
      if (group.ranks == ranks && (group.id == id || id.empty())) return &group;
    }
    if (log_.groups.size() == most_groups) {
      ++log_.left_out;
      return nullptr;
    }
    log_.groups.push_back({std::string(id), ranks, 0, 0, {}, number_});
    return &log_.groups.back();
  }

  void take_member(const NcclLine& line) {
    const std::string_view text = line.text;
    const auto rank = count_after(text, " rank ");
    const auto ranks = contains(text, " nranks ") ? count_after(text, " nranks ") : count_after(text, " nRanks ");
    if (!rank || !ranks || *ranks == 0 || static_cast<double>(*ranks) > limit::gpus || *rank >= *ranks) return;
    std::string_view rest = after(text, " commId ");
    NcclGroup* group = group_of(next_word(rest), *ranks);
    if (group == nullptr) return;
    if (const auto nodes = count_after(text, " nNodes ")) {
      group->nodes = std::max(group->nodes, *nodes);
      group->ranks_per_node = std::max(group->ranks_per_node, count_after(text, " localRanks ").value_or(0));
    }
    const bool started = contains(text, "Init START"), complete = contains(text, "Init COMPLETE");
    if (!started && !complete) return;
    NcclRank* member = member_of(*group, *rank);
    if (member == nullptr) return;
    member->host = host_index(line.host);
    member->device = count_after(text, " cudaDev ").value_or(line.device);
    rest = after(text, " busId ");
    member->bus = std::string(next_word(rest));
    member->started = member->started || started;
    member->complete = member->complete || complete;
  }

  NcclRank* member_of(NcclGroup& group, std::int64_t rank) {
    auto& place = place_of_[{static_cast<std::size_t>(&group - log_.groups.data()), rank}];
    if (place > 0) return &group.members[place - 1];
    if (group.members.size() == most_members) {
      ++log_.left_out;
      return nullptr;
    }
    group.members.push_back({.rank = rank, .host = 0, .device = -1, .bus = {}});
    place = group.members.size();
    return &group.members.back();
  }

  void add_once(std::vector<std::string>& list, std::string_view text) {
    if (text.empty() || std::find(list.begin(), list.end(), text) != list.end()) return;
    if (list.size() == most_kept) {
      ++log_.left_out;
    } else {
      list.emplace_back(text);
    }
  }

  /// "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"
  void take_adapters(std::string_view host, std::string_view text) {
    NcclHost& of = log_.hosts[host_index(host)];
    std::string_view rest = text.substr(0, text.find(';'));
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      const std::size_t close = word.find(']');
      if (close == std::string_view::npos || !contains(word, ":")) continue;
      add_once(of.adapters, word.substr(close + 1));
    }
  }

  /// "eth0:10.0.0.1<0>", "[0]eth0:10.0.0.1<0> [1]eth1:..."
  void take_interfaces(std::string_view host, std::string_view text) {
    NcclHost& of = log_.hosts[host_index(host)];
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
      if (word.front() == '[') word.remove_prefix(std::min(word.size(), word.find(']') + 1));
      const std::size_t colon = word.find(':');
      if (colon != std::string_view::npos && contains(word, "<")) add_once(of.interfaces, word.substr(0, colon));
    }
  }

  void warn(const NcclLine& line, std::int64_t number) {
    const std::string key = without_numbers(line.text);
    std::size_t& place = warning_of_[key];
    if (place == 0) {
      if (log_.warnings.size() == most_kept) {
        warning_of_.erase(key);
        ++log_.left_out;
        return;
      }
      log_.warnings.push_back({std::string(line.text.substr(0, longest_text)), std::string(line.where), number, 0, {}});
      place = log_.warnings.size();
    }
    NcclWarning& warning = log_.warnings[place - 1];
    ++warning.times;
    if (!line.host.empty()) warning.hosts.insert(host_index(line.host));
  }

  NcclLog& log_;
  std::int64_t number_ = 0;
  bool after_last_error_ = false;
  std::map<std::string, std::size_t, std::less<>> host_of_;
  std::size_t last_host_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> place_of_;  ///< of a member, counted from 1
  std::map<std::string, std::size_t> warning_of_;                         ///< likewise
};

}  // namespace

NcclLog read_nccl_log(std::string_view text) {
  NcclLog log;
  Reader reader(log);
  Lines lines(text);
  for (Line line; lines.next(line);) reader.take(line);
  reader.finish();
  return log;
}

const NcclGroup* largest_group(const NcclLog& log) {
  const auto largest = std::max_element(log.groups.begin(), log.groups.end(),
                                        [](const NcclGroup& a, const NcclGroup& b) { return a.ranks < b.ranks; });
  return largest == log.groups.end() ? nullptr : &*largest;
}

}  // namespace meshgauge
