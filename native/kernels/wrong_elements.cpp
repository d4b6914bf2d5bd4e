// Results of products beside the sums that they should be, in double precision.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "native/harness/half.hpp"
#include "native/kernels/product.hpp"

namespace meshgauge::harness {
namespace {

/// 4 bits of exponent with bias 7, 3 of mantissa (OCP 8-bit floating point specification, E4M3).
double from_e4m3(std::uint8_t bits) {
  const auto exponent = static_cast<int>(bits >> 3U & 15U), mantissa = static_cast<int>(bits & 7U);
  const double size = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return bits >= 0x80 ? -size : size;
}

/// The width tells the result of fp8, which is bf16, from its operands.
double value_at(const std::vector<std::byte>& data, std::size_t i, MatmulFormat format, std::size_t width) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, data.data() + i * width, width);
  if (width == 4) return static_cast<double>(std::bit_cast<float>(bits));
  if (width == 1) return from_e4m3(static_cast<std::uint8_t>(bits));
  const auto narrow = static_cast<std::uint16_t>(bits);
  return format == MatmulFormat::fp16 ? to_float(Half{narrow}) : to_float(Bfloat16{narrow});
}

std::vector<std::byte> read(Device& device, const void* from, std::size_t first, std::size_t count, std::size_t width) {
  std::vector<std::byte> data(count * width);
  device.copy_out(data.data(), static_cast<const std::byte*>(from) + first * width, data.size());
  return data;
}

/// Of |a| |b| summed: what rounding the operands and the partial sums may do.
double rounding_of(MatmulFormat format, double depth) {
  const double sums = depth * 0x1p-23;  // fp32, truncated at worst
  switch (format) {
    case MatmulFormat::tf32:
      return 0x1p-10 + sums;  // both operands to 11 bits
    case MatmulFormat::fp8:
    case MatmulFormat::fp4:
      return 0x1p-9;  // Hopper keeps some 14 bits of the partial sums (DeepSeek-V3, arXiv:2412.19437, section 3.3.2)
    default:
      return sums;
  }
}

/// Of the result itself, rounded to its format.
double last_rounding(MatmulFormat format, std::size_t width) {
  if (width == 4) return 0;
  return format == MatmulFormat::fp16 ? 0x1p-11 : 0x1p-8;
}

}  // namespace

std::size_t wrong_elements(Device& device, const ProductShape& s, MatmulFormat format, const Operands& operands) {
  const auto in = static_cast<std::size_t>(operand_bytes(format)), out = static_cast<std::size_t>(result_bytes(format));
  constexpr std::size_t looks = 16;
  std::size_t wrong = 0;
  for (std::size_t look = 0; look < looks; ++look) {
    // The first and the last element, and others in between that no period of blocks falls in with.
    const std::size_t row = look == looks - 1 ? look : look * 11 % (looks - 1);
    const std::size_t group = (s.groups - 1) * look / (looks - 1);
    const std::size_t i = (s.m - 1) * row / (looks - 1), j = (s.n - 1) * look / (looks - 1);
    const std::vector<std::byte> a = read(device, operands.rows, (group * s.m + i) * s.k, s.k, in);
    const std::vector<std::byte> b = read(device, operands.weights, (group * s.n + j) * s.k, s.k, in);
    const std::vector<std::byte> c = read(device, operands.results, (group * s.m + i) * s.n + j, 1, out);
    double sum = 0, size = 0;
    for (std::size_t p = 0; p < s.k; ++p) {
      const double product = value_at(a, p, format, in) * value_at(b, p, format, in);
      sum += product;
      size += std::abs(product);
    }
    const auto depth = static_cast<double>(s.k);
    // Where a library splits the depth it may round the partial sums, which are about size / sqrt(depth), as well.
    const double rounded = std::abs(sum) + 4 * size / std::sqrt(depth);
    const double allowed = rounding_of(format, depth) * size + last_rounding(format, out) * rounded;
    if (!(std::abs(value_at(c, 0, format, out) - sum) <= allowed)) ++wrong;  // NaN is wrong too
  }
  return wrong;
}

}  // namespace meshgauge::harness
