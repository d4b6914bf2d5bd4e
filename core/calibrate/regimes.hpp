// The parts of a curve where one latency and one bandwidth hold: what protocols and algorithms switch between.
#pragma once

#include <span>
#include <vector>

#include "core/calibrate/series.hpp"

namespace meshgauge {

/// t = latency + bytes / bandwidth between two sizes (Hockney 1994). Sigmas are one standard deviation, absolute; a
/// bandwidth is 0 where time does not grow with bytes.
struct Regime {
  double first_bytes = 0, last_bytes = 0;
  Seconds latency{}, latency_sigma{};
  BytesPerSecond bandwidth{}, bandwidth_sigma{};
};

/// One to three regimes of at least three sizes each: those that Akaike's criterion (small-sample form) prefers, found
/// among all divisions; errors count relative to the time, and single outliers little.
[[nodiscard]] std::vector<Regime> regimes_of(std::span<const Sample>);

}  // namespace meshgauge
