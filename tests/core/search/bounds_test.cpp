// Searches of random spaces against every layout of them, and every bound against what it bounds.
#include <algorithm>
#include <random>

#include "core/engine/engine.hpp"
#include "core/resolve/resolve.hpp"
#include "core/search/evaluator.hpp"
#include "core/search/frontier.hpp"
#include "core/search/grid_bound.hpp"
#include "core/search/least_memory.hpp"
#include "core/search/memory_bound.hpp"
#include "core/search/planner.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

/// A small job of any kind: dense or a mixture, on a few GPUs with too little or enough memory.
class RandomJob {
 public:
  explicit RandomJob(unsigned seed) : random_(seed) {}

  LayoutQuestion question() {
    LayoutQuestion q;
    const std::int64_t heads = pick({8, 12, 16}), gpus = pick({2, 4, 6, 8, 12, 16});
    ModelShape model = llama(pick({2, 3, 5, 6}), 128 * heads, 384 * heads, heads, pick({2, 4}), pick({32000, 128256}));
    if (heads == 12) model.kv_heads = 12;
    if (pick({0, 1, 2}) == 0) model.moe = {.experts = 4, .top_k = 2, .expert_ffn = 128 * heads};
    if (pick({0, 1, 2}) == 0) model.tie_embeddings = true;
    Cluster cluster = pick({0, 1}) == 0 ? dgx_a100(gpus) : dgx_h100(gpus);
    cluster.gpus_per_node = std::min<std::int64_t>(pick({2, 4, 8}), gpus);
    cluster.oversubscription = static_cast<double>(pick({1, 1, 4}));
    cluster.gpu.memory = {static_cast<double>(pick({4, 8, 16, 80})) * 1073741824.0};
    q.request.model = std::move(model);
    q.request.hardware = cluster;
    q.request.cluster.gpus = gpus;
    q.request.training.sequence_length = pick({1024, 4096});
    q.request.training.global_batch_size = gpus * pick({1, 2, 4});
    if (pick({0, 1, 2}) == 0) q.request.training.precision = Precision::bf16;
    const auto engine = static_cast<Engine>(
        pick({static_cast<int>(Engine::megatron), static_cast<int>(Engine::megatron),
              static_cast<int>(Engine::torchtitan), static_cast<int>(Engine::ddp), static_cast<int>(Engine::deepspeed),
              static_cast<int>(Engine::hf), static_cast<int>(Engine::fsdp1)}));
    q.request.training.engine = engine;
    q.engines = {engine};
    q.gpus = {gpus};
    q.every_schedule = pick({0, 1}) == 0;
    q.top = 2;
    return q;
  }

 private:
  std::int64_t pick(std::initializer_list<std::int64_t> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(random_() % list.size()));
  }

  std::mt19937 random_;  // the same numbers everywhere, unlike the distributions
};

/// Every layout there is, each with what is found of it alone.
struct Everything {
  std::vector<Candidate> best;  ///< the best layout of each schedule of a grid that fits
  Frontier frontier;
  std::int64_t layouts = 0, wrong_bounds = 0;
};

Everything evaluate_everything(const LayoutQuestion& q, const Profile& profile) {
  Everything all;
  Exclusions exclusions;
  Issues issues;
  for (const EngineSpace& space : engine_spaces(q, profile, exclusions, issues)) {
    Evaluator evaluator(q.request, profile, space.stages);
    GridBound bound(q, profile, space.stages.front());
    MemoryBound memory_bound(profile, space.stages);
    for (const Grid& grid : space.grids) {
      const auto recompute = recompute_choices(q, space.stages.front(), grid.pipeline);
      evaluator.set_grid(grid);
      Candidate candidate{.engine = space.engine, .grid = grid};
      for (const ScheduleChoice& schedule : schedule_choices(q, evaluator.scenario(0))) {
        candidate.schedule = schedule;
        evaluator.set_recompute(recompute.front());
        if (!evaluator.set_schedule(schedule) || !exclusions.keeps(Dimension::schedule, evaluator.scenario(0)))
          continue;
        Seconds least_of_all{};
        Candidate best;
        for (std::size_t i = 0; i < recompute.size(); ++i) {
          evaluator.set_recompute(recompute[i]);
          if (!exclusions.keeps(Dimension::recompute, evaluator.scenario(0))) continue;
          candidate.recompute = recompute[i];
          if (i == 0 && evaluator.recompute_only_adds()) least_of_all = evaluator.least_seconds();
          for (std::size_t stage = 0; stage < evaluator.stage_count(); ++stage) {
            candidate.zero_stage = evaluator.scenario(stage).parallelism.zero_stage;
            candidate.cost = {.seconds = evaluator.seconds(stage), .memory = evaluator.memory(stage)};
            candidate.value = value_of(q.goal, grid, candidate.cost);
            candidate.fits = candidate.cost.memory <= space.stages.front().cluster.gpu.memory;
            ++all.layouts;
            const Seconds seconds = candidate.cost.seconds;
            if (bound(grid) > seconds || bound(grid, schedule) > seconds || least_of_all > seconds ||
                evaluator.least_seconds(stage) > seconds || memory_bound(grid) > candidate.cost.memory) {
              ++all.wrong_bounds;
            }
            if (candidate.fits && (!best.fits || better(candidate, best))) best = candidate;
            if (all.frontier.takes(candidate.cost)) all.frontier.add(candidate);
          }
        }
        if (best.fits) all.best.push_back(best);
      }
    }
  }
  std::sort(all.best.begin(), all.best.end(), better);
  return all;
}

void check_same(const std::vector<Candidate>& found, const std::vector<Candidate>& expected, std::size_t count) {
  REQUIRE(found.size() >= count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(found[i].cost.seconds == expected[i].cost.seconds);
    CHECK(found[i].cost.memory == expected[i].cost.memory);
  }
}

}  // namespace

TEST_CASE("Searches of random spaces find what evaluating every layout finds, and no bound is above what it bounds") {
  std::int64_t layouts = 0, searched = 0, with_fit = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    LayoutQuestion q = RandomJob(seed).question();
    q.goal = static_cast<Goal>(seed % 5 == 4 ? 2 : 0);
    INFO("seed " << seed << ", " << name_of(q.engines.front()) << " on " << q.gpus.front());
    const Profile profile = default_profile(*q.request.hardware);
    const Everything all = evaluate_everything(q, profile);
    Found found = search(q, profile);
    if (!found.issues.empty()) continue;
    CHECK(all.wrong_bounds == 0);
    REQUIRE(!all.frontier.list().empty());
    const Bytes least = all.frontier.list().back().cost.memory, capacity = q.request.hardware->gpu.memory;
    CHECK(least_memory(q, profile, Sought::least).bytes == least);
    const LeastMemory fits = least_memory(q, profile, Sought::fitting_or_any);
    REQUIRE(fits.bytes);
    CHECK(fits.fits == (least <= capacity));
    CHECK(*fits.bytes >= least);
    layouts += all.layouts;
    searched += found.counts.evaluated;
    with_fit += all.best.empty() ? 0 : 1;
    check_same(found.best, all.best, std::min(all.best.size(), pool_size(q)));
    Found expected{.best = found.best, .frontier = all.frontier.list(), .counts = {}, .issues = {}};
    if (q.goal == Goal::memory) continue;
    cut_frontier(q, expected);
    cut_frontier(q, found);
    CHECK(found.frontier.size() == expected.frontier.size());
    check_same(found.frontier, expected.frontier, expected.frontier.size());
  }
  CHECK(layouts > 20000);
  CHECK(searched < layouts);
  CHECK(with_fit > 20);
}

TEST_CASE("A search in slices, each from what the one before found, finds what one search finds") {
  LayoutQuestion q;
  q.request.model = llama2_7b();
  q.request.hardware = dgx_a100(32);
  q.request.cluster.gpus = 32;
  q.request.training.engine = Engine::megatron;
  q.request.training.sequence_length = 4096;
  q.request.training.global_batch_size = 64;
  q.engines = {Engine::megatron};
  q.gpus = {32};
  const Profile profile = default_profile(*q.request.hardware);
  Found one = search(q, profile);
  Found sofar;
  std::int64_t decided = 0, slices = 0;
  for (bool done = false; !done; ++slices) {
    Planner planner(q, profile);
    planner.resume(std::move(sofar), decided);
    done = planner.advance(1000);
    sofar = planner.found();
    CHECK(!sofar.best.empty());  // the first slice has an answer
    CHECK((done || planner.decided() > decided || slices == 0));
    decided = planner.decided();
    REQUIRE(slices < 1000);
  }
  CHECK(slices > 2);
  cut_frontier(q, one);
  cut_frontier(q, sofar);
  check_same(sofar.best, one.best, one.best.size());
  CHECK(sofar.best.size() == one.best.size());
  check_same(sofar.frontier, one.frontier, one.frontier.size());
}

}  // namespace meshgauge
