// The 16-bit floating point formats, converted by rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace meshgauge::harness {

struct Bfloat16 {
  std::uint16_t bits = 0;
};
struct Half {
  std::uint16_t bits = 0;
};

[[nodiscard]] constexpr float to_float(Bfloat16 x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16U); }

[[nodiscard]] constexpr Bfloat16 to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>((bits >> 16U) | 0x40U)};  // NaN
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U)};
}

/// IEEE 754 binary16: 5 bits of exponent, 10 of mantissa.
[[nodiscard]] constexpr float to_float(Half x) {
  const std::uint32_t sign = (x.bits & 0x8000U) << 16U, exponent = (x.bits >> 10U) & 0x1fU, mantissa = x.bits & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13U));
  if (exponent == 0) {  // subnormal: mantissa * 2^-24
    const float value = static_cast<float>(mantissa) * 0x1p-24F;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23U) | (mantissa << 13U));
}

[[nodiscard]] constexpr Half to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U)};   // NaN
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};  // rounds to 65536 or more
  if (magnitude < 0x38800000U) {                                                      // below 2^-14: subnormal
    // Adding 1/2 puts the last bit of a subnormal half at the last bit of the sum, rounded to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return {static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U))};
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13U) & 1U);
  return {static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U))};
}

}  // namespace meshgauge::harness
