// Measured times of one collective in one group, size by size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/calibrate/measurement.hpp"
#include "core/price/route.hpp"

namespace meshgauge {

struct Sample {
  double bytes = 0;
  Seconds seconds{};
};

struct Series {
  Collective collective = Collective::all_reduce;
  Route route;
  std::vector<Sample> samples;  ///< by size, each size once
  std::int64_t measurements = 0;
};

struct SeriesSet {
  std::vector<Series> series;         ///< by collective, ranks, ranks a node
  std::vector<std::string> left_out;  ///< what was not taken, and why
};

/// Sorts measurements into series, whatever the order of files and runs: out-of-place calls where there are any, of the
/// type with most sizes, of groups that ran at once with most others; for each size the median of different values.
/// Leaves out single ranks, empty messages and wrong results.
[[nodiscard]] SeriesSet series_of(const std::vector<ImportedRun>&);

}  // namespace meshgauge
