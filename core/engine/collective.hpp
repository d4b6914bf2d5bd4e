// The collectives and their wire factors: one row each.
#pragma once

#include <cstdint>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, send_recv };
MESHGAUGE_NAMES(Collective, "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
                "send_recv");

/// Bytes that one rank puts on the wire for each byte of tensor (nccl-tests doc/PERFORMANCE.md): 2(g-1)/g for
/// all-reduce, (g-1)/g for all-gather, reduce-scatter and all-to-all, 1 for the others.
[[nodiscard]] constexpr double wire_factor(Collective c, std::int64_t group_size) {
  const auto g = static_cast<double>(group_size);
  switch (c) {
    case Collective::all_reduce:
      return 2 * (g - 1) / g;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return (g - 1) / g;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_recv:
      return 1;
  }
  return 1;
}

}  // namespace meshgauge
