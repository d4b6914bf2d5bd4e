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
  constexpr StageTime& operator+=(const StageTime& o) {
    forward += o.forward;
    backward_input += o.backward_input;
    backward_weight += o.backward_weight;
    return *this;
  }
  constexpr StageTime& operator-=(const StageTime& o) {
    forward -= o.forward;
    backward_input -= o.backward_input;
    backward_weight -= o.backward_weight;
    return *this;
  }
};

/// Time from the first forward to the last backward over all ranks.
struct Makespan {
  Seconds total{};
  Seconds bubble{};          ///< total less the busy time of the slowest rank
  std::int64_t slowest = 0;  ///< that rank
};
[[nodiscard]] Makespan makespan(Schedule, std::span<const StageTime> stages, std::int64_t v, std::int64_t m);

/// What a rank does after its last backward.
struct StageEnd {
  Seconds reduction{};  ///< gradients and the numbers that ranks agree on
  Seconds optimizer{};
  Seconds gather{};  ///< parameters
};

/// When ranks that were `done(rank)` at a time are through. If they `agree` on a number (the gradient norm) before they
/// update, all wait for the last one there.
template <class Done>
[[nodiscard]] Seconds end_of_step(std::span<const StageEnd> ends, bool agree, Done&& done) {
  Seconds reduced{}, updated{}, apart{};
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const StageEnd& end = ends[rank];
    const Seconds own = done(rank) + end.reduction;
    reduced = max(reduced, own);
    updated = max(updated, end.optimizer + end.gather);
    apart = max(apart, own + end.optimizer + end.gather);
  }
  return agree ? reduced + updated : apart;
}

/// The whole step in closed form, from priced ranks. In schedules that drain, a rank finishes its last backward before
/// those in front of it and starts its share of data parallelism that much earlier. Does not allocate.
[[nodiscard]] Seconds closed_form_step(Schedule, std::span<const StageTime> stages, std::span<const StageEnd> ends,
                                       bool agree, std::int64_t v, std::int64_t m);

/// The same where the makespan is known.
[[nodiscard]] Seconds closed_form_step(Seconds makespan, Schedule, std::span<const StageTime> stages,
                                       std::span<const StageEnd> ends, bool agree, std::int64_t v);

}  // namespace meshgauge
