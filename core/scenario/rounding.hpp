// Decimal rounding that gives the same bits everywhere: no printf, no libm.
#pragma once

#include <cstdint>

namespace meshgauge {

/// `digits` times ten to the `exponent`; digits 0 for zero and for what is not finite.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// A value >= 0 rounded half up to `significant` (1 to 15) decimal digits.
[[nodiscard]] Decimal to_decimal(double value, int significant);

/// The double nearest to `value` rounded to `significant` decimal digits; what is not finite stays as it is.
[[nodiscard]] double round_significant(double value, int significant);

}  // namespace meshgauge
