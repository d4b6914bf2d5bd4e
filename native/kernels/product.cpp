#include "native/kernels/product.hpp"

#include <algorithm>

namespace meshgauge::harness {

std::size_t bytes_of(const ProductShape& s, MatmulFormat format) {
  const auto in = static_cast<std::size_t>(operand_bytes(format)), out = static_cast<std::size_t>(result_bytes(format));
  return s.groups * (in * (s.m * s.k + s.k * s.n) + out * s.m * s.n);
}

std::size_t sets_of(std::size_t bytes_of_set, std::size_t cache_bytes) {
  constexpr std::size_t most = 16;
  return std::clamp<std::size_t>(2 * cache_bytes / std::max<std::size_t>(bytes_of_set, 1) + 1, 1, most);
}

}  // namespace meshgauge::harness
