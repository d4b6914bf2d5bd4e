// Numbers as answers hold them: counts exact, seconds and ratios in six digits.
#include "core/io/write_value.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/scenario/rounding.hpp"

namespace meshgauge {

nlohmann::ordered_json exact_number(double value) {
  constexpr double largest_exact = 9007199254740992.0;
  if (value == std::floor(value) && value > -largest_exact && value < largest_exact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

nlohmann::ordered_json rounded_number(double value) { return exact_number(round_significant(value, 6)); }

}  // namespace meshgauge
