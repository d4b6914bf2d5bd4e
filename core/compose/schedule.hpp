// How long a pipeline schedule takes, in closed form. What it keeps alive: core/count/in_flight.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/count/in_flight.hpp"
#include "core/scenario/parallelism.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// Forward, input-gradient and weight-gradient seconds of one micro-batch on one rank (all its chunks).
struct StageTime {
  Seconds forward{};
  Seconds backward_input{};
  Seconds backward_weight{};

  [[nodiscard]] constexpr Seconds total() const { return forward + backward_input + backward_weight; }
};

/// Time from the first forward to the last backward over all ranks.
struct Makespan {
  Seconds total{};
  Seconds bubble{};          ///< total less the busy time of the slowest rank
  std::int64_t slowest = 0;  ///< that rank
};
[[nodiscard]] Makespan makespan(Schedule, std::span<const StageTime> stages, std::int64_t v, std::int64_t m);

}  // namespace meshgauge
