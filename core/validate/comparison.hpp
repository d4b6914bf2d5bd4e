// A prediction beside a measurement: signed relative error, inside the predicted range or not.
#pragma once

#include <array>
#include <optional>

#include "core/validate/measured_run.hpp"
#include "core/validate/prediction.hpp"

namespace meshgauge {

struct Comparison {
  double predicted = 0, measured = 0;
  double low = 0, high = 0;  ///< of the predicted range

  /// Above 0: predicted too much.
  [[nodiscard]] constexpr double error() const { return predicted / measured - 1; }
  [[nodiscard]] constexpr bool within() const { return low <= measured && measured <= high; }
};

struct FitComparison {
  bool predicted = false, measured = false;
  double probability = 0;  ///< of fitting, as predicted

  [[nodiscard]] constexpr bool right() const { return predicted == measured; }
};

/// Empty where nothing was measured. A line is a run, or a collective or kernel timed alone.
struct RunComparison {
  std::optional<Comparison> step;
  std::optional<Comparison> collective, kernel;
  std::array<std::optional<Comparison>, memory_kind_count> memory;
  std::optional<FitComparison> fits;
};

/// `half_ranges` are those of the predicted ranges of bytes by kind, relative. Of a run that ran out of memory only
/// that is compared: the bytes seen were not those it needed.
[[nodiscard]] RunComparison compare(const Measured&, const Prediction&,
                                    const std::array<double, memory_kind_count>& half_ranges);

}  // namespace meshgauge
