// How many elements each rank gives each other one in alltoallv.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "native/collectives/operation.hpp"

namespace meshgauge::harness {

struct Skew {
  /// As NCCL_TESTS_ALLTOALLV_SPREAD: 0 equal parts, 1 parts that grow with the distance to the receiver.
  double spread = 1;
  /// Of a mixture of experts: what the busiest rank gets over the mean, the others sharing the rest; 0: spread instead.
  double imbalance = 0;
  /// As NCCL_TESTS_ALLTOALLV_MATRIX_FILE and _SCALE: bytes from each rank to each; empty: as above.
  std::string matrix = {};
  double matrix_scale = 1;
};

/// counts[from][to], rounded down to 16 bytes, of about `bytes` that each rank sends.
using Traffic = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Traffic traffic_of(std::size_t bytes, ElementType, int ranks, const Skew&);

/// Bytes that a file lists, times `scale`, rounded down to 16: a square of numbers, row by row. Throws BadInput.
[[nodiscard]] Traffic bytes_of_matrix(std::string_view text, const std::string& file, double scale);
/// The same in elements, of so many ranks.
[[nodiscard]] Traffic traffic_of(const Traffic& bytes, ElementType, int ranks);

/// That of the rank that sends or receives most.
[[nodiscard]] Layout layout_of(const Traffic&, ElementType, std::size_t bytes);

}  // namespace meshgauge::harness
