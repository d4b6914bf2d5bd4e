// Where the members of a group sit: in nodes, and in blocks of nodes under one non-blocking switch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace meshgauge {

struct Route {
  std::int64_t size = 1;
  std::int64_t per_node = 1;
  std::int64_t per_block = 0;  ///< members under one non-blocking part of the network; 0: all

  friend constexpr bool operator==(const Route&, const Route&) = default;
  [[nodiscard]] constexpr bool spans_nodes() const { return per_node < size; }
  [[nodiscard]] constexpr bool spans_blocks() const { return per_block > 0 && per_block < size; }
  [[nodiscard]] constexpr std::int64_t in_node() const { return std::max<std::int64_t>(1, std::min(per_node, size)); }
  [[nodiscard]] constexpr std::int64_t nodes() const { return (size + in_node() - 1) / in_node(); }
};

}  // namespace meshgauge
