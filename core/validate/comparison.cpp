// A prediction beside a measurement: signed relative error, inside the predicted range or not.
#include "core/validate/comparison.hpp"

#include <algorithm>

namespace meshgauge {

RunComparison compare(const Measured& measured, const Prediction& prediction,
                      const std::array<double, memory_kind_count>& half_ranges) {
  RunComparison result;
  const std::optional<bool> fitted = measured.fitted();
  if (fitted)
    result.fits =
        FitComparison{.predicted = prediction.fits, .measured = *fitted, .probability = prediction.fit_probability};
  if (fitted == false) return result;
  if (measured.step) {
    result.step = Comparison{.predicted = prediction.step.value,
                             .measured = measured.step->value,
                             .low = prediction.step_low.value,
                             .high = prediction.step_high.value};
  }
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
    if (!measured.memory[kind]) continue;
    const Bytes bytes = prediction.memory[kind];
    result.memory[kind] = Comparison{.predicted = bytes.value,
                                     .measured = measured.memory[kind]->value,
                                     .low = whole(bytes.value * std::max(1 - half_ranges[kind], 0.0)).value,
                                     .high = whole(bytes.value * (1 + half_ranges[kind])).value};
  }
  return result;
}

}  // namespace meshgauge
