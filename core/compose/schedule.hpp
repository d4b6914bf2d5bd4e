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

/// When `ranks` that were `done(rank)` at a time are through, with `end(rank)` to do. If they `agree` on a number (the
/// gradient norm) before they update, all wait for the last one there.
template <class End, class Done>
[[nodiscard]] Seconds end_of_step(std::size_t ranks, bool agree, End&& end, Done&& done) {
  Seconds reduced{}, updated{}, apart{};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const StageEnd& own_end = end(rank);
    const Seconds own = done(rank) + own_end.reduction;
    reduced = max(reduced, own);
    updated = max(updated, own_end.optimizer + own_end.gather);
    apart = max(apart, own + own_end.optimizer + own_end.gather);
  }
  return agree ? reduced + updated : apart;
}
template <class Done>
[[nodiscard]] Seconds end_of_step(std::span<const StageEnd> ends, bool agree, Done&& done) {
  return end_of_step(
      ends.size(), agree, [&](std::size_t rank) -> const StageEnd& { return ends[rank]; }, done);
}

/// Share of a backward by which each rank is done before the one in front of it.
[[nodiscard]] double drained(Schedule, std::int64_t v);

/// When ranks are done in closed form, asked in their order. In schedules that drain, a rank finishes its last backward
/// before those in front of it and starts its share of data parallelism that much earlier.
struct DrainingRanks {
  Seconds done{};  ///< the makespan at first
  double drained = 0;

  [[nodiscard]] Seconds next(const StageTime& stage) {
    const Seconds own = done;
    done -= drained * (stage.backward_input + stage.backward_weight);
    return own;
  }
};

}  // namespace meshgauge
