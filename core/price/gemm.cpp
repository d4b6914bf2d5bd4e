// Tiles run in waves over the multiprocessors; a product whose tiles fill few waves may split its depth.
#include "core/price/gemm.hpp"

#include <algorithm>
#include <cmath>

namespace meshgauge {
namespace {

struct Product {
  double m, n, k, groups;

  [[nodiscard]] double blocks(const Tile& tile) const { return std::ceil(m / tile.m) * std::ceil(n / tile.n) * groups; }
};

double waves(double blocks, double multiprocessors) {
  return multiprocessors > 0 ? std::ceil(blocks / multiprocessors) : blocks;
}

/// Seconds of the product in tiles of one shape, the depth cut into `split` parts that are added at the end.
double tiled(const ProductSetting& s, const Product& p, const Tile& tile, double split) {
  const double processors = s.multiprocessors > 0 ? s.multiprocessors : 1;
  const double block = 2 * tile.m * tile.n * (p.k / split + s.depth) / (s.rate.value * tile.speed / processors);
  const double merge = split > 1 ? 4 * split * p.m * p.n * p.groups / s.memory.value : 0;
  return waves(p.blocks(tile) * split, s.multiprocessors) * block + merge;
}

bool may_split(const ProductSetting& s, const Product& p, const Tile& tile, double split) {
  constexpr double least_depth = 1024, most_waves = 4;
  return s.multiprocessors > 0 && p.k / split >= least_depth &&
         p.blocks(tile) * split <= most_waves * s.multiprocessors;
}

double compute_seconds(const ProductSetting& s, const Product& p) {
  double best = 0;
  for (const Tile& tile : s.tiles) {
    for (int pieces = 1; pieces <= 8; pieces *= 2) {
      const double split = pieces;
      if (split > 1 && !may_split(s, p, tile, split)) break;
      const double seconds = tiled(s, p, tile, split);
      if (best == 0 || seconds < best) best = seconds;
    }
  }
  return best;
}

/// Experts get few rows each, and their products lose more than blocks and waves explain: rows / (rows + these), fitted
/// on 108 grouped products of Transformer Engine on B200 with 64 to 2048 rows (SimuMax).
double rows_at_half(ProductPass pass) {
  switch (pass) {
    case ProductPass::forward:
      return 150;
    case ProductPass::input_gradient:
      return 230;
    case ProductPass::weight_gradient:
      return 450;
  }
  return 150;
}

bool multiple_of_8(double x) { return std::floor(x / 8) * 8 == x; }

}  // namespace

MatmulFormat matmul_format(Precision precision, bool low_precision) {
  switch (precision) {
    case Precision::fp32:
      return MatmulFormat::fp32;
    case Precision::tf32:
      return MatmulFormat::tf32;
    case Precision::fp8:
    case Precision::mxfp8:
      return low_precision ? MatmulFormat::fp8 : MatmulFormat::bf16;
    case Precision::nvfp4:
      return low_precision ? MatmulFormat::fp4 : MatmulFormat::bf16;
    case Precision::fp16:
      return MatmulFormat::fp16;
    case Precision::bf16:
    case Precision::pure_bf16:
      return MatmulFormat::bf16;
  }
  return MatmulFormat::bf16;
}

FlopsPerSecond matmul_rate(const Profile& profile, MatmulFormat format) {
  switch (format) {
    case MatmulFormat::fp32:
      return profile.matmul_fp32;
    case MatmulFormat::tf32:
      return profile.matmul_tf32;
    case MatmulFormat::bf16:
      return profile.matmul_16bit;
    case MatmulFormat::fp16:
      return profile.fp16_speed * profile.matmul_16bit;
    case MatmulFormat::fp8:
      return profile.matmul_fp8;
    case MatmulFormat::fp4:
      return profile.matmul_fp4;
  }
  return profile.matmul_16bit;
}

double operand_bytes(MatmulFormat format) {
  switch (format) {
    case MatmulFormat::fp32:
    case MatmulFormat::tf32:
      return 4;
    case MatmulFormat::bf16:
    case MatmulFormat::fp16:
      return 2;
    case MatmulFormat::fp8:
      return 1;
    case MatmulFormat::fp4:
      return 0.5625;
  }
  return 2;
}

double result_bytes(MatmulFormat format) { return std::max(2.0, operand_bytes(format)); }

Seconds product_time(const ProductSetting& s, double m, double n, double k, double groups) {
  if (m <= 0 || n <= 0 || k <= 0 || groups <= 0) return {};
  double compute = compute_seconds(s, {m, n, k, groups});
  if (!multiple_of_8(n) || !multiple_of_8(k)) compute *= s.misaligned;
  const double bytes = groups * (s.in_bytes * (m * k + k * n) + s.out_bytes * m * n);
  return {std::max(compute, bytes / s.memory.value)};
}

Seconds grouped_time(const ProductSetting& s, ProductPass pass, double m, double n, double k, double groups) {
  if (m <= 0 || groups <= 0) return {};
  constexpr double many = 4096;  // rows that fill every block: what n and k alone allow
  const double share = m / (m + rows_at_half(pass));
  const double dense = product_time(s, many, n, k, 1).value * m * groups / many;
  const double weights = groups * s.in_bytes * n * k / s.memory.value;
  return {std::max(dense / share, weights)};
}

namespace {

ProductSetting in_step(const Profile& profile, MatmulFormat format) {
  const bool narrow = format == MatmulFormat::fp8 || format == MatmulFormat::fp4;
  return {.rate = matmul_rate(profile, format),
          .memory = profile.hbm,
          .depth = profile.gemm_depth * (narrow ? profile.fp8_depth_factor : 1),
          .multiprocessors = profile.multiprocessors,
          .misaligned = profile.misaligned_slowdown,
          .in_bytes = operand_bytes(format),
          .out_bytes = result_bytes(format),
          .tiles = profile.tiles};
}

}  // namespace

Seconds gemm_time(const Profile& profile, MatmulFormat format, double m, double n, double k, double groups) {
  const Seconds modelled = product_time(in_step(profile, format), m, n, k, groups);
  return profile.measured.products.empty() ? modelled : product_ratio(profile.measured, format, m, n, k) * modelled;
}

Seconds grouped_time(const Profile& profile, MatmulFormat format, ProductPass pass, double m, double n, double k,
                     double groups) {
  return grouped_time(in_step(profile, format), pass, m, n, k, groups);
}

}  // namespace meshgauge
