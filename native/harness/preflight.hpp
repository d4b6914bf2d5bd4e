// Before minutes are spent: which ranks there are, and which interfaces and adapters they can use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshgauge::harness {

int run_preflight(std::string_view name, std::span<const std::string> arguments);

/// A network interface or an InfiniBand or RoCE port.
struct Interface {
  std::string name;
  bool up = false;
  double bits_per_second = 0;  ///< 0: not said
  std::string kind;            ///< "loopback", "virtual", "ethernet"; of a port "InfiniBand", "Ethernet" (RoCE)
};

/// Read from a tree like /sys: `root`/class/net and `root`/class/infiniband.
[[nodiscard]] std::vector<Interface> interfaces_below(const std::string& root);
[[nodiscard]] std::vector<Interface> ports_below(const std::string& root);

/// What to set so that libraries take the fast ones: lines of "export NAME=VALUE", each with its reason.
[[nodiscard]] std::vector<std::string> advice(std::span<const Interface> interfaces, std::span<const Interface> ports);

}  // namespace meshgauge::harness
