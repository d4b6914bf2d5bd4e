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

/// One launch's first set: rows m x k, weights n x k and results m x n of each group, row after row.
struct Operands {
  const void *rows = nullptr, *weights = nullptr, *results = nullptr;
};

class Product : public Kernel {
 public:
  /// Valid after at least one launch of each set.
  [[nodiscard]] virtual Operands first_set() const = 0;
};

/// Of some elements of the results, corners of the first and the last group among them, how many are not the sum of
/// products that they should be.
[[nodiscard]] std::size_t wrong_elements(Device&, const ProductShape&, MatmulFormat, const Operands&);

/// How many sets of operands take turns, so that each comes from memory as in training and not from a cache that the
/// launch before has filled.
[[nodiscard]] std::size_t sets_of(std::size_t bytes_of_set, std::size_t cache_bytes);

/// fp32 with this many threads.
[[nodiscard]] std::unique_ptr<Product> cpu_product(Device&, const ProductShape&, int threads);
/// Nothing where cuBLASLt has no algorithm for this GPU, shape and format.
[[nodiscard]] std::unique_ptr<Product> cuda_product(Device&, const ProductShape&, MatmulFormat);

}  // namespace meshgauge::harness
