// How well a set of runs is predicted: statistics of the errors, and how often "fits" was right.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/validate/comparison.hpp"

namespace meshgauge {

/// Of absolute relative errors, but for the bias. All 0 where n is 0.
struct ErrorSummary {
  std::int64_t n = 0;
  double mean = 0, median = 0, p90 = 0, max = 0;
  double bias = 0;      ///< mean signed error
  double coverage = 0;  ///< share of measurements inside the predicted range
};

struct FitCounts {
  std::int64_t n = 0, right = 0;
  std::int64_t out_of_memory = 0;  ///< of the n, those that failed
  std::int64_t false_fits = 0;     ///< said to fit, but ran out of memory
  std::int64_t false_ooms = 0;     ///< said not to fit, but ran
  double brier = 0;  ///< mean squared difference of the predicted probability and what happened (Brier 1950)
};

struct SetSummary {
  ErrorSummary step_time;
  ErrorSummary collective_time, kernel_time;
  std::array<ErrorSummary, memory_kind_count> memory;
  ErrorSummary all_memory;  ///< every measured number of bytes, of whatever kind
  FitCounts fits;
};

/// Medians over families of their own median and p90: a source of many rows counts once.
struct MedianFamily {
  std::int64_t families = 0;
  double median = 0, p90 = 0;
};

/// Between the two nearest of the sorted values, of which there is one at least; `share` from 0 to 1 (Hyndman and Fan
/// 1996, definition 7: that of NumPy, R and Excel).
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

[[nodiscard]] ErrorSummary summarise(std::span<const Comparison>);
[[nodiscard]] MedianFamily median_family(std::span<const ErrorSummary>);
[[nodiscard]] SetSummary summarise(std::span<const RunComparison>);

}  // namespace meshgauge
