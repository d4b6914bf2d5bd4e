// Matrix products as libraries compute them: cuBLASLt on a GPU, OpenBLAS on a CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/price/gemm.hpp"
#include "native/kernels/kernel.hpp"

namespace meshgauge::harness {

/// `groups` products of m x k by k x n. A rank's rows times weights that are stored as outputs x inputs.
struct ProductShape {
  std::size_t m = 0, n = 0, k = 0, groups = 1;
  std::string of;  ///< "qkv forward"; empty: asked for by its numbers

  [[nodiscard]] double flops() const { return 2.0 * static_cast<double>(m * n) * static_cast<double>(k * groups); }
  [[nodiscard]] bool same_numbers(const ProductShape& o) const {
    return m == o.m && n == o.n && k == o.k && groups == o.groups;
  }
};

/// Bytes of all operands and results of one launch.
[[nodiscard]] std::size_t bytes_of(const ProductShape&, MatmulFormat);

/// How many sets of operands take turns, so that each comes from memory as in training and not from a cache that the
/// launch before has filled.
[[nodiscard]] std::size_t sets_of(std::size_t bytes_of_set, std::size_t cache_bytes);

/// fp32 with this many threads.
[[nodiscard]] std::unique_ptr<Kernel> cpu_product(Device&, const ProductShape&, int threads);
/// Nothing where cuBLASLt has no algorithm for this GPU, shape and format.
[[nodiscard]] std::unique_ptr<Kernel> cuda_product(Device&, const ProductShape&, MatmulFormat);

}  // namespace meshgauge::harness
