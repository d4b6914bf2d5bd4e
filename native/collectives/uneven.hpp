// How many elements each rank gives each other one in alltoallv.
#pragma once

#include <cstddef>
#include <vector>

#include "native/collectives/operation.hpp"

namespace meshgauge::harness {

struct Skew {
  /// As NCCL_TESTS_ALLTOALLV_SPREAD: 0 equal parts, 1 parts that grow with the distance to the receiver.
  double spread = 1;
  /// Of a mixture of experts: what the busiest rank gets over the mean, the others sharing the rest; 0: spread instead.
  double imbalance = 0;
};

/// counts[from][to], rounded down to 16 bytes, of about `bytes` that each rank sends.
using Traffic = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Traffic traffic_of(std::size_t bytes, ElementType, int ranks, const Skew&);

/// That of the rank that sends or receives most.
[[nodiscard]] Layout layout_of(const Traffic&, ElementType, std::size_t bytes);

}  // namespace meshgauge::harness
