// Pipelines to replay: of equal and of uneven ranks, and what their replay takes.
#pragma once

#include <vector>

#include "core/compose/replay.hpp"
#include "core/compose/schedule.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/every.hpp"

namespace meshgauge::pipelines {

inline const std::vector<Schedule> schedules = test::every<Schedule>();
inline bool never_drained(Schedule s) { return s == Schedule::pipedream || s == Schedule::pipedream_2bw; }

inline Pipeline pipeline(Schedule schedule, std::int64_t p, std::int64_t m, std::int64_t v = 2,
                         std::int64_t group = 0) {
  return {.schedule = schedule, .stages = p, .chunks = v, .micro_batches = m, .group = group > 0 ? group : p};
}

inline ChunkTime chunk(double forward, double input, double weight) { return {{forward}, {input}, {weight}, {}, {}}; }

/// Ranks that take `forward`, `input` and `weight` for a micro-batch, in equal chunks.
inline std::vector<ChunkTime> equal(const Pipeline& p, double forward, double input, double weight) {
  const auto n = static_cast<double>(p.chunks_of_rank());
  return {static_cast<std::size_t>(p.stages * p.chunks_of_rank()), chunk(forward / n, input / n, weight / n)};
}

inline double total(const Pipeline& p, const std::vector<ChunkTime>& chunks) {
  const auto run = replay(p, chunks, Record::no);
  REQUIRE(run);
  return run->total().value;
}

/// What the schedule idles beside the work of one rank, with equal ranks.
inline double bubble(const Pipeline& p, double forward, double input, double weight) {
  const double share = p.schedule == Schedule::dualpipe ? 0.5 : 1;
  return total(p, equal(p, forward, input, weight)) -
         share * static_cast<double>(p.micro_batches) * (forward + input + weight);
}

/// The passes of a rank, without what it sends.
inline double busy(const Pipeline& p, const std::vector<ChunkTime>& chunks, std::int64_t rank) {
  double sum = 0;
  for (std::int64_t c = 0; c < p.chunks_of_rank(); ++c) {
    const ChunkTime& time = chunks[static_cast<std::size_t>(rank * p.chunks_of_rank() + c)];
    sum += time.forward.value + time.backward_input.value + time.backward_weight.value;
  }
  return sum * static_cast<double>(p.micro_batches) * (p.schedule == Schedule::dualpipe ? 0.5 : 1);
}

/// Numbers in [0, 1) that are the same everywhere.
struct Random {
  unsigned state = 1;
  double next() {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() * static_cast<double>(n)); }
};

inline std::vector<ChunkTime> uneven(const Pipeline& p, Random& random) {
  std::vector<ChunkTime> chunks;
  for (std::int64_t i = 0; i < p.stages * p.chunks_of_rank(); ++i) {
    ChunkTime time = chunk(0.5 + random.next(), 0.5 + random.next(), 0.5 + random.next());
    const bool blocking = random.below(2) == 0;
    for (Message* message : {&time.activations, &time.gradients}) {
      (blocking ? message->blocking : message->travelling).value = 0.3 * random.next();
    }
    chunks.push_back(time);
  }
  return chunks;
}

/// A pipeline that its schedule can run.
inline Pipeline any(Schedule schedule, Random& random) {
  const std::int64_t p = 2 * (1 + random.below(3));
  const std::int64_t m = schedule == Schedule::dualpipe ? 2 * p + 2 * random.below(8) : p * (1 + random.below(4));
  return pipeline(schedule, p, m, 2 + random.below(2));
}

}  // namespace meshgauge::pipelines
