// How often something is timed, and what its times come to.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

struct Summary {
  std::size_t samples = 0;
  double median = 0, p5 = 0, p95 = 0;  ///< seconds; percentiles by linear interpolation between order statistics
};
[[nodiscard]] Summary summary_of(std::vector<double> seconds);

/// Half of the width of the median's 95 % confidence interval over the median, from order statistics: no assumption
/// about the distribution. Infinite below 6 samples, where no interval has that confidence.
[[nodiscard]] double median_uncertainty(std::vector<double> seconds);

struct SamplePlan {
  int warm_up = 3;
  std::size_t least = 10;      ///< samples
  std::size_t most = 1000;     ///< samples; equal to `least`: exactly so many
  double precision = 0.01;     ///< stop when the median's uncertainty is below
  double budget_seconds = 10;  ///< stop at the first look after
};

/// Seconds of each sample, the largest over ranks: `run` does the thing once and returns when it has ended. Ranks start
/// each sample together. All ranks get the same.
[[nodiscard]] std::vector<double> sample(Runtime&, const SamplePlan&, const std::function<void()>& run);

}  // namespace meshgauge::harness
