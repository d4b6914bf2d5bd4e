// Time of composing a step: replayed pass by pass, as one estimate does, and in closed form, as a search would.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/allocations.hpp"
#include "core/compose/replay.hpp"
#include "core/compose/schedule.hpp"
#include "core/compose/step.hpp"
#include "core/price/profile.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

/// 405B on 16 stages, 256 micro-batches.
Scenario sixteen_stages(Schedule schedule, std::int64_t chunks) {
  Scenario s = hand_built::megatron(hand_built::llama31_405b(), hand_built::dgx_h100(128), 8, 16, 8192, 1, 256);
  s.parallelism.schedule = schedule;
  s.parallelism.virtual_pipeline = chunks;
  return s;
}

void estimate(benchmark::State& state, Schedule schedule, std::int64_t chunks, Record record) {
  const Scenario s = sixteen_stages(schedule, chunks);
  const Profile profile = default_profile(s.cluster);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
    benchmark::DoNotOptimize(estimate_step(s, profile, record));
}

/// Makespan and end of the step from sixteen priced stages.
void closed_form(benchmark::State& state, Schedule schedule, std::int64_t chunks) {
  std::vector<StageTime> stages(16, StageTime{{0.010}, {0.012}, {0.009}});
  stages.back() = {{0.013}, {0.015}, {0.012}};
  const std::vector<StageEnd> ends(16, StageEnd{{0.02}, {0.01}, {0.01}});
  const std::size_t before = allocations;
  std::int64_t m = 64;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
    DrainingRanks ranks{makespan(schedule, stages, chunks, m).total, drained(schedule, chunks)};
    benchmark::DoNotOptimize(end_of_step(ends, true, [&](std::size_t rank) { return ranks.next(stages[rank]); }));
    m = m < 512 ? m + 1 : 64;
  }
  if (allocations != before) state.SkipWithError("the closed form allocates");
  state.SetItemsProcessed(state.iterations());
}

/// What a replayed estimate costs as the pipeline, the micro-batches or the model grow. Items: passes.
void scaling(benchmark::State& state) {
  const std::int64_t p = state.range(0), m = state.range(1);
  ModelShape model = hand_built::llama31_405b();
  model.layers = state.range(2);
  const Scenario s = hand_built::megatron(model, hand_built::dgx_h100(8 * p), 8, p, 8192, 1, m);
  const Profile profile = default_profile(s.cluster);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
    benchmark::DoNotOptimize(estimate_step(s, profile, Record::no));
  state.SetItemsProcessed(state.iterations() * 2 * p * m);
}
BENCHMARK(scaling)
    ->ArgNames({"p", "m", "layers"})
    ->ArgsProduct({{1, 4, 16, 64}, {256}, {128}})
    ->ArgsProduct({{16}, {32, 1024, 4096}, {128}})
    ->ArgsProduct({{16}, {256}, {32, 512}})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(estimate, replay_1f1b_p16_m256, Schedule::one_f_one_b, 1, Record::no)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, replay_interleaved_v4_p16_m256, Schedule::interleaved, 4, Record::no)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, replay_zb_h1_p16_m256, Schedule::zb_h1, 1, Record::no)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, timeline_1f1b_p16_m256, Schedule::one_f_one_b, 1, Record::yes)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(closed_form, one_f_one_b_p16, Schedule::one_f_one_b, 1);
BENCHMARK_CAPTURE(closed_form, interleaved_p16, Schedule::interleaved, 4);
BENCHMARK_CAPTURE(closed_form, zb_h1_p16, Schedule::zb_h1, 1);
BENCHMARK_CAPTURE(closed_form, dualpipe_p16, Schedule::dualpipe, 1);

}  // namespace
}  // namespace meshgauge
