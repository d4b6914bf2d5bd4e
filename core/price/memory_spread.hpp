// How far measured memory spreads around the prediction: by engine, by kind of memory, from published runs.
#pragma once

#include <array>

#include "core/count/memory_kinds.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Relative. Nine of ten measurements lie within 1.645 of each sigma.
struct MemorySpread {
  std::array<double, memory_kind_count> sigma{};
  double fit = 0;  ///< of what a job needs at least: decides how sure a verdict is
};

/// A profile that names a sigma of its own has the last word.
[[nodiscard]] MemorySpread memory_spread(const Scenario&, const Profile&);

/// Half of the range that holds 90 % of a normal distribution, in standard deviations. Its ends are where the verdict
/// changes: one in twenty lies beyond each.
inline constexpr double half_range = 1.645;

/// Half widths of the ranges that hold 90 % of the measurements, by kind, relative.
[[nodiscard]] std::array<double, memory_kind_count> half_ranges(const MemorySpread&);

}  // namespace meshgauge
