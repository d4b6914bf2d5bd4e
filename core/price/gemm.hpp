// Seconds of a matrix product from its shape: whole waves of tiles, split depth, bytes.
#pragma once

#include <span>

#include "core/price/matmul_format.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

/// What a product computes of a layer m x n x k.
enum class ProductPass { forward, input_gradient, weight_gradient };
MESHGAUGE_NAMES(ProductPass, "forward", "input_gradient", "weight_gradient");

/// What a product meets: in a step (gemm_time) or alone (kernel_time).
struct ProductSetting {
  FlopsPerSecond rate{};               ///< of the chip, for large shapes
  BytesPerSecond memory{};             ///< sustained
  double depth = 0;                    ///< prologue and epilogue of a block, as extra depth
  double multiprocessors = 0;          ///< 0: whole waves are not modelled
  double misaligned = 1;               ///< slowdown when columns or depth are no multiple of 8
  double in_bytes = 2, out_bytes = 2;  ///< of an element
  std::span<const Tile> tiles;
};

[[nodiscard]] Seconds product_time(const ProductSetting&, double m, double n, double k, double groups);

/// The same product of `groups` experts with m rows each in one launch: m x n x k is the forward's, whatever the pass.
[[nodiscard]] Seconds grouped_time(const ProductSetting&, ProductPass, double m, double n, double k, double groups);

/// Bytes of an operand's element; fp4 with its block scales (one byte for 16).
[[nodiscard]] double operand_bytes(MatmulFormat);
[[nodiscard]] double result_bytes(MatmulFormat);

/// The format in which a recipe runs its products; head, router and attention stay 16-bit under fp8.
[[nodiscard]] MatmulFormat matmul_format(Precision, bool low_precision);
[[nodiscard]] FlopsPerSecond matmul_rate(const Profile&, MatmulFormat);

/// `groups` products of m x k by k x n in one launch.
[[nodiscard]] Seconds gemm_time(const Profile&, MatmulFormat, double m, double n, double k, double groups = 1);

[[nodiscard]] Seconds grouped_time(const Profile&, MatmulFormat, ProductPass, double m, double n, double k,
                                   double groups);

}  // namespace meshgauge
