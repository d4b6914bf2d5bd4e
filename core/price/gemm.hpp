// Seconds of a matrix product from its shape: whole waves of tiles, split depth, bytes.
#pragma once

#include "core/price/profile.hpp"

namespace meshgauge {

enum class MatmulFormat { fp32, tf32, bf16, fp16, fp8 };

/// The format in which a recipe runs its products; head, router and attention stay 16-bit under fp8.
[[nodiscard]] MatmulFormat matmul_format(Precision, bool low_precision);
[[nodiscard]] FlopsPerSecond matmul_rate(const Profile&, MatmulFormat);

/// `groups` products of m x k by k x n in one launch.
[[nodiscard]] Seconds gemm_time(const Profile&, MatmulFormat, double m, double n, double k, double groups = 1);

}  // namespace meshgauge
