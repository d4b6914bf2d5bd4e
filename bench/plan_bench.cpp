// The search: layouts evaluated in a second, the first answer, whole plans. One thread.
#include <benchmark/benchmark.h>

#include "bench/allocations.hpp"
#include "core/search/evaluator.hpp"
#include "core/search/planner.hpp"
#include "core/search/search.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

LayoutQuestion question(ModelShape model, const Cluster& cluster, std::int64_t sequence, std::int64_t batch) {
  LayoutQuestion q;
  q.request.model = std::move(model);
  q.request.hardware = cluster;
  q.request.cluster.gpus = cluster.gpus;
  q.request.training.engine = Engine::megatron;
  q.request.training.sequence_length = sequence;
  q.request.training.global_batch_size = batch;
  q.engines = {Engine::megatron};
  q.gpus = {cluster.gpus};
  return q;
}

LayoutQuestion llama() { return question(hand_built::llama31_405b(), hand_built::dgx_h100(16384), 8192, 2048); }
LayoutQuestion gpt3() { return question(hand_built::gpt3_175b(), hand_built::dgx_a100(512), 2048, 1536); }
LayoutQuestion deepseek() { return question(hand_built::deepseek_v3(), hand_built::dgx_h100(2048), 4096, 15360); }

/// Without bounds: every layout of the best grids is evaluated, none is left out.
void evaluate(benchmark::State& state, LayoutQuestion (*ask)()) {
  LayoutQuestion q = ask();
  q.evaluate_all = true;
  const Profile profile = default_profile(*q.request.hardware);
  std::int64_t layouts = 0;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
    state.PauseTiming();
    Planner planner(q, profile);
    while (planner.decided() == 0) (void)planner.advance(1);  // bounds of all grids
    const std::int64_t before = planner.counts().evaluated;
    state.ResumeTiming();
    (void)planner.advance(200000);
    layouts += planner.counts().evaluated - before;
  }
  state.SetItemsProcessed(layouts);
}

/// One layout after the other of one grid: nothing is allocated once all of them were seen.
void evaluate_grid(benchmark::State& state, LayoutQuestion (*ask)()) {
  const LayoutQuestion q = ask();
  const Profile profile = default_profile(*q.request.hardware);
  Exclusions exclusions;
  Issues issues;
  const std::vector<EngineSpace> spaces = engine_spaces(q, profile, exclusions, issues);
  const EngineSpace& space = spaces.front();
  Evaluator evaluator(q.request, profile, space.stages);
  const Grid& grid = space.grids[space.grids.size() / 3];
  evaluator.set_grid(grid);
  const auto recompute = recompute_choices(q, space.stages.front(), grid.pipeline);
  const auto schedules = schedule_choices(q, evaluator.scenario(0));
  std::int64_t layouts = 0;
  const auto sweep = [&] {
    evaluator.set_grid(grid);
    for (const ScheduleChoice& schedule : schedules) {
      evaluator.set_recompute(recompute.front());
      if (!evaluator.set_schedule(schedule)) continue;
      for (const RecomputeChoice& choice : recompute) {
        evaluator.set_recompute(choice);
        for (std::size_t stage = 0; stage < evaluator.stage_count(); ++stage, ++layouts) {
          benchmark::DoNotOptimize(evaluator.memory(stage));
          benchmark::DoNotOptimize(evaluator.seconds(stage));
        }
      }
    }
  };
  sweep();
  layouts = 0;
  const std::size_t before = allocations;
  for (auto _ : state) sweep();  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
  if (allocations != before) state.SkipWithError("evaluating a layout allocates");
  state.SetItemsProcessed(layouts);
}

void first_answer(benchmark::State& state, LayoutQuestion (*ask)()) {
  const LayoutQuestion q = ask();
  const Profile profile = default_profile(*q.request.hardware);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): its destructor ends the run
    Planner planner(q, profile);
    while (planner.found().best.empty() && !planner.advance(1000)) {
    }
  }
}

void whole_plan(benchmark::State& state, LayoutQuestion (*ask)()) {
  const LayoutQuestion q = ask();
  const Profile profile = default_profile(*q.request.hardware);
  Found found;
  for (auto _ : state) found = search(q, profile);  // NOLINT(clang-analyzer-deadcode.DeadStores)
  state.counters["evaluated"] = static_cast<double>(found.counts.evaluated);
  state.counters["grids"] = static_cast<double>(found.counts.grids);
  state.counters["bounded"] = static_cast<double>(found.counts.bounded);
}

BENCHMARK_CAPTURE(evaluate, llama_405b_16384, llama)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(evaluate, gpt3_175b_512, gpt3)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(evaluate, deepseek_v3_2048, deepseek)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(evaluate_grid, llama_405b_16384, llama);
BENCHMARK_CAPTURE(evaluate_grid, gpt3_175b_512, gpt3);
BENCHMARK_CAPTURE(first_answer, llama_405b_16384, llama)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_answer, gpt3_175b_512, gpt3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_answer, deepseek_v3_2048, deepseek)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(whole_plan, llama_405b_16384, llama)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(whole_plan, gpt3_175b_512, gpt3)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(whole_plan, deepseek_v3_2048, deepseek)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace meshgauge
