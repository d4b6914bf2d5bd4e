#include "core/calibrate/import/nccl_devices.hpp"

#include <algorithm>

#include "core/calibrate/import/decimal.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Device = NcclDevice;
constexpr std::size_t most_devices = std::size_t{1} << 17U;  ///< of a list; more ranks than any machine has GPUs

bool by_rank(const Device& a, const Device& b) { return a.rank < b.rank; }

/// Ranks of each node where every node holds as many, else 0. `list` holds all ranks of one group.
std::int64_t equal_share(const std::vector<Device>& list, std::size_t hosts) {
  std::vector<std::int64_t> held(hosts, 0);
  for (const Device& device : list) ++held[device.host];
  std::int64_t share = 0;
  for (const std::int64_t count : held) {
    if (count == 0) continue;
    if (share != 0 && count != share) return 0;
    share = count;
  }
  return share;
}

/// Ranks of each node from a list that shows the first and last rank of every node, else 0.
std::int64_t share_of_ends(const std::vector<Device>& sorted, std::size_t hosts) {
  const auto ranks = sorted.back().rank + 1;
  const auto nodes = static_cast<std::int64_t>(hosts);
  if (nodes == 0 || ranks % nodes != 0) return 0;
  const std::int64_t share = ranks / nodes;
  std::vector<bool> first(hosts, false), last(hosts, false);
  std::vector<std::int64_t> node_of_host(hosts, -1);
  for (const Device& device : sorted) {
    const std::int64_t node = device.rank / share;
    if (node_of_host[device.host] != -1 && node_of_host[device.host] != node) return 0;
    node_of_host[device.host] = node;
    if (device.rank % share == 0) first[device.host] = true;
    if (device.rank % share == share - 1) last[device.host] = true;
  }
  const auto all = [](const std::vector<bool>& seen) {
    return std::find(seen.begin(), seen.end(), false) == seen.end();
  };
  return all(first) && all(last) ? share : 0;
}

/// GPUs of a node that took part: several ranks can share one.
std::int64_t gpus_of_node(const std::vector<Device>& list) {
  std::vector<std::string_view> addresses;
  for (const Device& device : list) {
    if (device.host == list.front().host) addresses.push_back(device.address);
  }
  std::sort(addresses.begin(), addresses.end());
  return std::unique(addresses.begin(), addresses.end()) - addresses.begin();
}

}  // namespace

bool NcclDevices::take(std::string_view line) {
  if (!starts_with(line, "Rank")) return false;
  std::string_view rest = line.substr(4);
  Device device;
  const auto rank = count_of(next_word(rest));
  std::string_view word = next_word(rest);
  if (!rank) return false;
  device.rank = *rank;
  if (word == "Group") {
    const auto group = count_of(next_word(rest));
    if (!group) return false;
    device.group = *group;
    word = next_word(rest);
  }
  if (word == "Pid") {
    if (!count_of(next_word(rest))) return false;
    word = next_word(rest);
  }
  const std::string_view host = next_word(rest);
  if (word != "on" || host.empty() || next_word(rest) != "device") return false;
  const std::string_view index = next_word(rest), address = next_word(rest);
  if (!count_of(index) || address.size() < 2 || address.front() != '[' || address.back() != ']') return false;
  device.address = std::string(index).append(address);
  add(std::move(device), host, trimmed(rest));
  return true;
}

void NcclDevices::add(NcclDevice device, std::string_view host, std::string_view name) {
  if (list.size() == most_devices) return;
  // Ranks of a host follow one another: look at the last one first.
  if (hosts.empty() || hosts.back() != host) {
    constexpr std::size_t most_compared = 4096;  // beyond, a list that jumps between hosts would take long
    const auto known = std::find(hosts.begin(), hosts.size() > most_compared ? hosts.begin() : hosts.end(), host);
    const bool is_new = hosts.size() > most_compared || known == hosts.end();
    device.host = is_new ? hosts.size() : static_cast<std::size_t>(known - hosts.begin());
    if (is_new) hosts.emplace_back(host);
  } else {
    device.host = hosts.size() - 1;
  }
  if (gpu.empty()) gpu = std::string(name);
  if (!name.empty() && name != gpu) several_gpus = true;
  list.push_back(std::move(device));
}

NcclLayout layout_of(const NcclDevices& devices, Place& place, std::vector<std::string>& notes) {
  NcclLayout layout;
  if (devices.list.empty()) return layout;
  place.gpu = devices.gpu;
  std::vector<Device> sorted;
  std::int64_t first_group = devices.list.front().group, last_group = first_group;
  for (const Device& device : devices.list) {
    first_group = std::min(first_group, device.group);
    last_group = std::max(last_group, device.group);
  }
  for (const Device& device : devices.list) {
    if (device.rank == devices.list.front().rank && device.group == devices.list.front().group) ++layout.times_rank_0;
    if (device.group == first_group) sorted.push_back(device);
  }
  std::stable_sort(sorted.begin(), sorted.end(), by_rank);
  if (devices.several_gpus) notes.emplace_back("The ranks hold different GPUs; the first is named.");
  if (layout.times_rank_0 > 1) {  // each program names itself rank 0
    place.ranks = sorted.back().rank == 0 ? 1 : 0;
    place.ranks_per_node = place.gpus_per_node = place.ranks;
    return layout;
  }
  const auto listed = static_cast<std::int64_t>(sorted.size());
  layout.groups = last_group - first_group + 1;  // NCCL_TESTS_SPLIT: ranks are numbered over all groups
  place.ranks = layout.groups > 1 ? listed : sorted.back().rank + 1;
  if (place.ranks != listed) {
    notes.push_back("The device list shows " + number_text(listed) + " of " + number_text(place.ranks) +
                    " ranks, counted by its highest.");
    place.ranks_per_node = share_of_ends(sorted, devices.hosts.size());
    return layout;
  }
  place.ranks_per_node = equal_share(sorted, devices.hosts.size());
  if (place.ranks_per_node == 0) {
    notes.emplace_back("Nodes hold different numbers of ranks.");
    return layout;
  }
  place.gpus_per_node = gpus_of_node(sorted);
  if (place.gpus_per_node < place.ranks_per_node && layout.groups == 1) {
    notes.push_back(number_text(place.ranks_per_node) + " ranks of a node share " + number_text(place.gpus_per_node) +
                    (place.gpus_per_node == 1 ? " GPU." : " GPUs."));
  }
  return layout;
}

}  // namespace meshgauge
