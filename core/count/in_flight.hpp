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

/// `stage` of `p` (0-based), `v` chunks a rank, `m` micro-batches. Interleaved, a chunk runs `group` of them in a row.
[[nodiscard]] InFlight in_flight(Schedule, std::int64_t stage, std::int64_t p, std::int64_t v, std::int64_t m,
                                 std::int64_t group);
[[nodiscard]] inline InFlight in_flight(Schedule schedule, std::int64_t stage, std::int64_t p, std::int64_t v,
                                        std::int64_t m) {
  return in_flight(schedule, stage, p, v, m, p);
}

/// Interleaved: micro-batches of the `chunk`-th of a rank's chunks in flight at its peak. They add up to
/// v * activation_sets: chunks are filled a group at a time, so the last one holds the fewest.
[[nodiscard]] std::int64_t chunk_in_flight(std::int64_t stage, std::int64_t p, std::int64_t v, std::int64_t m,
                                           std::int64_t group, std::int64_t chunk);

}  // namespace meshgauge
