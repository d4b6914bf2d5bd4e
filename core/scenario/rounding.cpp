// Decimal rounding that gives the same bits everywhere: no printf, no libm.
#include "core/scenario/rounding.hpp"

#include <array>
#include <cmath>

namespace meshgauge {
namespace {

/// Powers of ten that a double holds exactly.
constexpr int exact_powers = 22;
constexpr std::array<double, exact_powers + 1> powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// value * 10^exponent; one correctly rounded operation while |exponent| <= 22.
double scaled(double value, int exponent) {
  while (exponent > exact_powers) {
    value *= powers[exact_powers];
    exponent -= exact_powers;
  }
  while (exponent < -exact_powers) {
    value /= powers[exact_powers];
    exponent += exact_powers;
  }
  return exponent >= 0 ? value * powers[static_cast<std::size_t>(exponent)]
                       : value / powers[static_cast<std::size_t>(-exponent)];
}

bool is_finite(double value) { return value - value == 0; }

}  // namespace

Decimal to_decimal(double value, int significant) {
  if (!(value > 0) || !is_finite(value)) return {};
  int exponent = 0;  // of the last digit kept
  const double ceiling = powers[static_cast<std::size_t>(significant)];
  const double floor = ceiling / 10;
  double digits = value;
  // Coarse steps first: a double spans 631 decades.
  while (digits >= ceiling * 1e16) digits = scaled(value, -(exponent += 16));
  while (digits < floor / 1e16) digits = scaled(value, -(exponent -= 16));
  while (digits >= ceiling) digits = scaled(value, -(++exponent));
  while (digits < floor) digits = scaled(value, -(--exponent));
  auto rounded = static_cast<std::int64_t>(std::floor(digits + 0.5));
  if (static_cast<double>(rounded) >= ceiling) {
    rounded /= 10;
    ++exponent;
  }
  return {rounded, exponent};
}

double round_significant(double value, int significant) {
  if (!is_finite(value)) return value;
  const Decimal decimal = to_decimal(value < 0 ? -value : value, significant);
  const double magnitude = scaled(static_cast<double>(decimal.digits), decimal.exponent);
  if (!is_finite(magnitude)) return value;  // within half a digit of the largest double
  return value < 0 ? -magnitude : magnitude;
}

}  // namespace meshgauge
