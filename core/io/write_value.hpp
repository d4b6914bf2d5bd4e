// Numbers as answers hold them: counts exact, seconds and ratios in six digits.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace meshgauge {

/// A whole number without a fraction as long as a double tells neighbours apart (below 2^53), else the double itself.
[[nodiscard]] nlohmann::ordered_json exact_number(double value);

/// Six significant digits: more would say nothing, and could differ in the last bit between builds.
[[nodiscard]] nlohmann::ordered_json rounded_number(double value);

}  // namespace meshgauge
