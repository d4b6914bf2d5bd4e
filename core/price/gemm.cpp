// Tiles run in waves over the multiprocessors; a product whose tiles fill few waves may split its depth.
#include "core/price/gemm.hpp"

#include <algorithm>
#include <cmath>

namespace meshgauge {
namespace {

struct Product {
  double m, n, k, groups;
  double rate;   ///< FLOP/s of the whole chip
  double depth;  ///< extra depth of a block
  double wave;   ///< multiprocessors, 0 if unknown
};

double waves(double blocks, double multiprocessors) {
  return multiprocessors > 0 ? std::ceil(blocks / multiprocessors) : blocks;
}

/// Seconds of the product in tiles of one shape, the depth cut into `split` parts that are added at the end.
double tiled(const Product& p, const Tile& tile, double split, double bytes_per_second) {
  const double blocks = std::ceil(p.m / tile.m) * std::ceil(p.n / tile.n) * p.groups * split;
  const double processors = p.wave > 0 ? p.wave : 1;
  const double block = 2 * tile.m * tile.n * (p.k / split + p.depth) / (p.rate * tile.speed / processors);
  const double merge = split > 1 ? 4 * split * p.m * p.n * p.groups / bytes_per_second : 0;
  return waves(blocks, p.wave) * block + merge;
}

bool may_split(const Product& p, const Tile& tile, double split) {
  constexpr double least_depth = 1024, most_waves = 4;
  const double blocks = std::ceil(p.m / tile.m) * std::ceil(p.n / tile.n) * p.groups * split;
  return p.wave > 0 && p.k / split >= least_depth && blocks <= most_waves * p.wave;
}

double compute_seconds(const Product& p, const Profile& profile) {
  double best = 0;
  for (const Tile& tile : profile.tiles) {
    for (double split = 1; split <= 8; split *= 2) {
      if (split > 1 && !may_split(p, tile, split)) break;
      const double seconds = tiled(p, tile, split, profile.hbm.value);
      if (best == 0 || seconds < best) best = seconds;
    }
  }
  return best;
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
    case Precision::nvfp4:
      return low_precision ? MatmulFormat::fp8 : MatmulFormat::bf16;
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
  }
  return profile.matmul_16bit;
}

Seconds gemm_time(const Profile& profile, MatmulFormat format, double m, double n, double k, double groups) {
  if (m <= 0 || n <= 0 || k <= 0 || groups <= 0) return {};
  const bool eight = format == MatmulFormat::fp8;
  const Product product{.m = m,
                        .n = n,
                        .k = k,
                        .groups = groups,
                        .rate = matmul_rate(profile, format).value,
                        .depth = profile.gemm_depth * (eight ? profile.fp8_depth_factor : 1),
                        .wave = profile.multiprocessors};
  double compute = compute_seconds(product, profile);
  if (!multiple_of_8(n) || !multiple_of_8(k)) compute *= profile.misaligned_slowdown;
  const double wide = format == MatmulFormat::bf16 || format == MatmulFormat::fp16 ? 2.0 : 4.0;
  const double in = eight ? 1.0 : wide, out = eight ? 2.0 : wide;
  const double bytes = groups * (in * (m * k + k * n) + out * m * n);
  return {std::max(compute, bytes / profile.hbm.value)};
}

}  // namespace meshgauge
