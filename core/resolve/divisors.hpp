// Degrees that divide: the lists of allowed values in messages, and the one to suggest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge {

/// Whole numbers from 1 to `bound` for which `legal` holds, the first hundred.
template <class Legal>
[[nodiscard]] std::vector<std::int64_t> legal_values(std::int64_t bound, Legal legal) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 1; i <= bound && values.size() < 100; ++i) {
    if (legal(i)) values.push_back(i);
  }
  return values;
}

/// "Allowed: 1, 2, 4. Set 4." The suggestion is the largest value up to the present one.
[[nodiscard]] inline std::string allowed_text(const std::vector<std::int64_t>& values, std::int64_t present) {
  if (values.empty()) return "No value is allowed.";
  std::int64_t best = values.front();
  for (const std::int64_t value : values) {
    if (value <= present) best = value;
  }
  return "Allowed: " + list_text(values) + ". Set " + number_text(best) + '.';
}

}  // namespace meshgauge
