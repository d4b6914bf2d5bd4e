// What a pipeline schedule keeps alive on a rank at its peak: activation sets and weight copies.
#pragma once

#include <cstdint>

#include "core/scenario/parallelism.hpp"

namespace meshgauge {

/// Activation sets are in units of one micro-batch through all the rank's own layers.
struct InFlight {
  double activation_sets = 1;
  double weight_versions = 1;  ///< PipeDream keeps one for each micro-batch in flight, 2BW two
};

/// `stage` of `p` (0-based), `v` chunks a rank, `m` micro-batches.
[[nodiscard]] InFlight in_flight(Schedule, std::int64_t stage, std::int64_t p, std::int64_t v, std::int64_t m);

}  // namespace meshgauge
