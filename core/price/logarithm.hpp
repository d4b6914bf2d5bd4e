// Logarithms and powers from exact operations alone: the same bits with every compiler and C library.
#pragma once

#include <cstdint>

namespace meshgauge {

namespace logarithm {
inline constexpr double ln2 = 0.693147180559945309417;
inline constexpr std::uint64_t mantissa_bits = 52, exponent_bias = 1023;
// std::bit_cast is not in every C++20 library yet; what it is made of is.
[[nodiscard]] constexpr std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
[[nodiscard]] constexpr double number_of(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
}  // namespace logarithm

/// Of a normal number above 0, to 1e-15: x = 2^e m with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m - 1) / (m + 1)).
[[nodiscard]] constexpr double natural_log(double x) {
  const auto bits = logarithm::bits_of(x);
  auto exponent =
      static_cast<std::int64_t>(bits >> logarithm::mantissa_bits) - static_cast<std::int64_t>(logarithm::exponent_bias);
  constexpr std::uint64_t fraction = (std::uint64_t{1} << logarithm::mantissa_bits) - 1;
  auto m = logarithm::number_of((bits & fraction) | (logarithm::exponent_bias << logarithm::mantissa_bits));
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  const double z = (m - 1) / (m + 1), z2 = z * z;
  double sum = 0;
  for (int odd = 21; odd > 0; odd -= 2) sum = sum * z2 + 1.0 / odd;
  return static_cast<double>(exponent) * logarithm::ln2 + 2 * z * sum;
}

/// To 1e-15 relative, for x between -700 and 700: 2^e times the series of the remainder.
[[nodiscard]] constexpr double exponential(double x) {
  const double scaled = x / logarithm::ln2;
  const auto whole = static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double rest = x - static_cast<double>(whole) * logarithm::ln2;
  double sum = 1;
  for (int i = 16; i > 0; --i) sum = 1 + rest / i * sum;
  const auto power = static_cast<std::uint64_t>(whole + static_cast<std::int64_t>(logarithm::exponent_bias));
  return sum * logarithm::number_of(power << logarithm::mantissa_bits);
}

/// Base-2 logarithm with straight lines between powers of two: what hops of a tree cost, and fast enough for it.
[[nodiscard]] constexpr double log2_of(double x) {
  const auto bits = logarithm::bits_of(x);
  const auto exponent =
      static_cast<std::int64_t>(bits >> logarithm::mantissa_bits) - static_cast<std::int64_t>(logarithm::exponent_bias);
  constexpr std::uint64_t fraction = (std::uint64_t{1} << logarithm::mantissa_bits) - 1;
  const auto m = logarithm::number_of((bits & fraction) | (logarithm::exponent_bias << logarithm::mantissa_bits));
  return static_cast<double>(exponent) + (m - 1);
}

}  // namespace meshgauge
