// A matrix product, or a batch of them at equal distances. Row major.
#pragma once

#include <cstddef>

namespace meshgauge::step {

/// C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) is k x n. Leading dimensions are lengths of stored rows.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  std::size_t lda = 0, ldb = 0, ldc = 0;
  double alpha = 1, beta = 0;
  std::size_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
};

/// Of matrices without gaps between their rows.
[[nodiscard]] constexpr Product dense(std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b,
                                      double beta = 0) {
  return {.m = m,
          .n = n,
          .k = k,
          .transpose_a = transpose_a,
          .transpose_b = transpose_b,
          .lda = transpose_a ? m : k,
          .ldb = transpose_b ? k : n,
          .ldc = n,
          .beta = beta};
}

}  // namespace meshgauge::step
