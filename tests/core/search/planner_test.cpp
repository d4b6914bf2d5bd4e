// The search against brute force: every combination of values given to the ordinary estimate, legal or not.
#include "core/search/planner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/compose/step.hpp"
#include "core/count/memory.hpp"
#include "core/engine/engine.hpp"
#include "core/resolve/resolve.hpp"
#include "core/search/plan.hpp"
#include "core/search/search.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

constexpr std::int64_t no_replay = 0;

LayoutQuestion question(ModelShape model, const Cluster& cluster, Engine engine, std::int64_t sequence,
                        std::int64_t batch) {
  LayoutQuestion q;
  q.request.model = std::move(model);
  q.request.hardware = cluster;
  q.request.cluster.gpus = cluster.gpus;
  q.request.training.engine = engine;
  q.request.training.sequence_length = sequence;
  q.request.training.global_batch_size = batch;
  q.engines = {engine};
  q.gpus = {cluster.gpus};
  return q;
}

/// All recompute choices there are for the engine: modules and blocks are Megatron's, operators PyTorch's.
std::vector<RecomputeRequest> every_recompute(Engine engine, bool few) {
  std::vector<RecomputeRequest> list(2);
  list[1] = {.kind = Recompute::full, .method = RecomputeMethod::uniform, .layers = 1, .modules = {}};
  if (few) return list;
  const auto selective = [&](const RecomputeModules& modules) {
    list.push_back({.kind = Recompute::selective, .method = {}, .layers = {}, .modules = modules});
  };
  const bool megatron = has_megatron_layers(engine);
  for (unsigned bits = 1; megatron && bits < 32; ++bits) {
    selective({.core_attention = (bits & 1U) != 0,
               .layernorm = (bits & 2U) != 0,
               .mlp = (bits & 4U) != 0,
               .moe_activation = (bits & 8U) != 0,
               .mla_up_projection = (bits & 16U) != 0});
  }
  if (!megatron) selective({.operators = true});
  for (std::int64_t n = 1; megatron && n <= 8; ++n) {
    list.push_back({.kind = Recompute::full, .method = RecomputeMethod::block, .layers = n, .modules = {}});
  }
  return list;
}

struct Best {
  double seconds = 1e300;
  std::int64_t layouts = 0;
};

/// The fastest layout that fits of each grid. Every number up to the number of GPUs is tried for every degree.
std::map<Grid, Best> brute_force(const LayoutQuestion& q, const Profile& profile,
                                 const std::vector<RecomputeRequest>& recompute) {
  std::map<Grid, Best> best;
  const std::int64_t gpus = q.gpus.front(), batch = *q.request.training.global_batch_size;
  const bool moe = q.request.model->moe.used();
  const EngineDescription& engine = describe_engine(q.engines.front());
  const auto each = [&](bool open, std::int64_t most, auto visit) {
    for (std::int64_t i = 1; i <= (open ? most : 1); ++i) visit(i);
  };
  each(engine.tensor_parallel, gpus, [&](std::int64_t t) {
    each(engine.context_parallel, gpus, [&](std::int64_t c) {
      each(engine.pipeline_parallel, gpus, [&](std::int64_t p) {
        if (gpus % (t * c * p) != 0) return;
        each(moe, q.request.model->moe.experts, [&](std::int64_t e) {
          each(moe, t, [&](std::int64_t x) {
            each(true, batch, [&](std::int64_t b) {
              for (const bool sp : {false, true}) {
                if (sp && t == 1) continue;
                ScenarioRequest r = q.request;
                r.parallelism.tensor = t;
                r.parallelism.sequence_parallel = sp;
                r.parallelism.pipeline = p;
                r.parallelism.context = c;
                r.parallelism.expert = e;
                r.parallelism.expert_tensor = x;
                r.parallelism.data = gpus / (t * c * p);
                r.training.micro_batch_size = b;
                const std::int64_t node = q.request.hardware->gpus_per_node;
                if (node % t != 0 && t % node != 0) continue;
                // What no schedule and no recompute can mend is not tried with each of them.
                const std::int64_t copies =
                    engine.hybrid_shards ? std::max<std::int64_t>(1, gpus / (t * c * p) - 1) : 1;
                for (std::int64_t sharding = 0; sharding < 4 * copies; ++sharding) {
                  r.parallelism.zero_stage = sharding % 4;
                  r.parallelism.replicas = 1 + sharding / 4;
                  r.training.recompute.reset();
                  r.parallelism.schedule.reset();
                  r.parallelism.virtual_pipeline.reset();
                  if (!resolve(r).ok()) continue;
                  for (const Schedule schedule :
                       {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved, Schedule::zb_v}) {
                    if (!engine.schedules.has(schedule)) continue;
                    r.parallelism.schedule = schedule;
                    for (std::int64_t v = 1; v <= q.request.model->layers; ++v) {
                      r.parallelism.virtual_pipeline = v;
                      for (const RecomputeRequest& choice : recompute) {
                        r.training.recompute = choice;
                        const Result<Resolution> found = resolve(r);
                        if (!found.ok()) continue;
                        const Scenario& s = found.value->scenario;
                        Best& one = best[candidate_of(s).grid];
                        ++one.layouts;
                        if (device_peak(s, profile.overhead) > s.cluster.gpu.memory) continue;
                        const double seconds = estimate_step(s, profile, Record::no, no_replay).seconds.value;
                        one.seconds = std::min(one.seconds, seconds);
                      }
                    }
                  }
                }
              }
            });
          });
        });
      });
    });
  });
  return best;
}

ModelShape small_llama() { return llama(8, 4096, 11008, 32, 8, 32000); }
ModelShape small_mixture() {
  ModelShape m = llama(4, 2048, 5632, 16, 4, 32000);
  m.moe = {.experts = 4, .top_k = 2, .expert_ffn = 5632};
  return m;
}

/// Even splits alone: what brute force tries.
void check_against_brute_force(const LayoutQuestion& q, bool few) {
  const Profile profile = default_profile(*q.request.hardware);
  const std::map<Grid, Best> expected = brute_force(q, profile, every_recompute(q.engines.front(), few));
  LayoutQuestion all = q;
  all.even_splits = true;
  all.top = 100;
  Planner planner(all, profile);
  REQUIRE(planner.issues().empty());
  while (!planner.advance(1000)) {
  }
  const Found found = planner.found();
  std::vector<std::pair<double, Grid>> ranked;
  for (const auto& [grid, best] : expected) {
    if (best.seconds < 1e300) ranked.push_back({best.seconds, grid});
  }
  std::sort(ranked.begin(), ranked.end());
  INFO(expected.size() << " grids, " << ranked.size() << " fit");
  CHECK(found.counts.grids >= static_cast<std::int64_t>(expected.size()));  // some have no legal schedule
  REQUIRE(!ranked.empty());
  std::vector<Candidate> of_grids;  // the first of each
  for (const Candidate& c : found.best) {
    const auto same = [&](const Candidate& other) { return other.grid == c.grid; };
    if (std::none_of(of_grids.begin(), of_grids.end(), same)) of_grids.push_back(c);
  }
  REQUIRE(of_grids.size() <= ranked.size());
  CHECK((found.best.size() >= pool_size(all) || of_grids.size() == ranked.size()));
  for (std::size_t i = 0; i < of_grids.size(); ++i) {
    INFO(i);
    CHECK(of_grids[i].cost.seconds.value == Approx(ranked[i].first).epsilon(1e-12));
    const auto same = expected.find(of_grids[i].grid);
    REQUIRE(same != expected.end());
    CHECK(of_grids[i].cost.seconds.value == Approx(same->second.seconds).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("The planner finds what brute force finds: Megatron on a node of eight") {
  LayoutQuestion q = question(small_llama(), dgx_h100(8), Engine::megatron, 4096, 16);
  q.request.training.precision = Precision::bf16;
  check_against_brute_force(q, true);
}

TEST_CASE("The planner finds what brute force finds: every recompute, little memory") {
  Cluster cluster = dgx_a100(4);
  cluster.gpu.memory = {24.0 * 1073741824.0};
  check_against_brute_force(question(small_llama(), cluster, Engine::megatron, 4096, 8), false);
}

TEST_CASE("The planner finds what brute force finds: a mixture over two nodes") {
  check_against_brute_force(question(small_mixture(), dgx_a100(16), Engine::megatron, 2048, 16), true);
}

TEST_CASE("The planner finds what brute force finds: sharded engines") {
  for (const Engine engine : {Engine::fsdp2, Engine::deepspeed, Engine::ddp, Engine::torchtitan, Engine::hf}) {
    INFO(name_of(engine));
    check_against_brute_force(question(small_llama(), dgx_a100(8), engine, 4096, 16), engine != Engine::torchtitan);
  }
}

TEST_CASE("A layout has the time and the bytes of its own estimate, uneven splits included") {
  for (const Engine engine : {Engine::megatron, Engine::torchtitan}) {
    LayoutQuestion q = question(llama(14, 4096, 11008, 32, 8, 128256), dgx_h100(16), engine, 8192, 32);
    q.every_schedule = true;
    q.top = 100;
    q.evaluate_all = true;
    const Profile profile = default_profile(*q.request.hardware);
    const Found found = search(q, profile);
    REQUIRE(found.best.size() > 20);
    std::int64_t uneven = 0;
    for (const std::vector<Candidate>* list : {&found.best, &found.frontier}) {
      for (const Candidate& c : *list) {
        const Scenario s = scenario_of(q.request, c);
        CHECK(broken_rules(s).empty());
        CHECK(estimate_step(s, profile, Record::no, no_replay).seconds.value ==
              Approx(c.cost.seconds.value).epsilon(1e-12));
        CHECK(device_peak(s, profile.overhead) == c.cost.memory);
        uneven += s.parallelism.stage_layers.empty() ? 0 : 1;
      }
    }
    CHECK(uneven > 0);
  }
}

TEST_CASE("The plans are those that a replay of everything that was found would choose") {
  for (const Goal goal : {Goal::step, Goal::memory}) {
    LayoutQuestion q = question(small_llama(), dgx_h100(16), Engine::megatron, 4096, 64);
    q.goal = goal;
    q.top = 20;
    const Profile profile = default_profile(*q.request.hardware);
    const Found found = search(q, profile);
    std::map<Grid, double> best;
    for (const Candidate& c : found.best) {
      const double value =
          value_of(goal, c.grid,
                   {.seconds = estimate_step(scenario_of(q.request, c), profile).seconds, .memory = c.cost.memory});
      const auto [place, is_new] = best.try_emplace(c.grid, value);
      if (!is_new) place->second = std::min(place->second, value);
    }
    std::vector<double> values;
    for (const auto& [grid, value] : best) values.push_back(value);
    std::sort(values.begin(), values.end());
    const std::size_t count = 8;
    REQUIRE(values.size() > count);
    const std::vector<Plan> plans = replay_best(q, profile, found, count);
    REQUIRE(plans.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      const Plan& plan = plans[i];
      CHECK(value_of(goal, plan.candidate.grid, {.seconds = plan.step.seconds, .memory = plan.candidate.cost.memory}) ==
            values[i]);
      CHECK(plan.step.seconds == estimate_step(plan.scenario, profile).seconds);
    }
  }
}

TEST_CASE("Layouts keep the rule of the replicas that are asked for") {
  LayoutQuestion q = question(small_llama(), dgx_a100(8), Engine::torchtitan, 4096, 16);
  q.request.parallelism.replicas = 2;
  q.top = 100;
  q.evaluate_all = true;
  const Found found = search(q, default_profile(*q.request.hardware));
  REQUIRE(!found.best.empty());
  for (const std::vector<Candidate>* list : {&found.best, &found.frontier}) {
    for (const Candidate& c : *list) CHECK(broken_rules(scenario_of(q.request, c)).empty());
  }
}

TEST_CASE("Shards stay within a node where the network between nodes is slow") {
  Cluster cluster = dgx_a100(32);
  cluster.inter.bandwidth = {1.5e9};  // of each of eight GPUs
  LayoutQuestion q = question(llama2_7b(), cluster, Engine::fsdp2, 4096, 64);
  q.request.parallelism.zero_stage = 3;
  const Found found = search(q, default_profile(cluster));
  REQUIRE(!found.best.empty());
  CHECK(found.best.front().grid.replicas == 4);
  const Grid& best = found.best.front().grid;
  CHECK(best.data / best.replicas == cluster.gpus_per_node);
}

TEST_CASE("Bounds leave out nothing that is better") {
  for (const Engine engine : {Engine::megatron, Engine::fsdp2, Engine::torchtitan}) {
    LayoutQuestion q = question(llama2_7b(), dgx_a100(32), engine, 4096, 64);
    const Profile profile = default_profile(*q.request.hardware);
    const Found bounded = search(q, profile);
    q.evaluate_all = true;
    const Found all = search(q, profile);
    REQUIRE(!all.best.empty());
    CHECK(bounded.counts.evaluated <= all.counts.evaluated);
    REQUIRE(bounded.best.size() == all.best.size());
    for (std::size_t i = 0; i < all.best.size(); ++i) {
      CHECK(bounded.best[i].grid == all.best[i].grid);
      CHECK(bounded.best[i].cost.seconds == all.best[i].cost.seconds);
    }
  }
}

TEST_CASE("Four shards together find what one search finds") {
  const LayoutQuestion q = question(llama2_7b(), dgx_a100(32), Engine::megatron, 4096, 64);
  const Profile profile = default_profile(*q.request.hardware);
  Found one = search(q, profile);
  Found together;
  for (std::int64_t i = 0; i < 4; ++i) {
    LayoutQuestion part = q;
    part.shard = {i, 4};
    merge(q, search(part, profile), together);
  }
  cut_frontier(q, one);
  cut_frontier(q, together);
  REQUIRE(one.best.size() == together.best.size());
  for (std::size_t i = 0; i < one.best.size(); ++i) {
    CHECK(one.best[i].grid == together.best[i].grid);
    CHECK(one.best[i].cost.seconds == together.best[i].cost.seconds);
  }
  REQUIRE(one.frontier.size() == together.frontier.size());
  for (std::size_t i = 0; i < one.frontier.size(); ++i) {
    CHECK(one.frontier[i].cost.seconds == together.frontier[i].cost.seconds);
    CHECK(one.frontier[i].cost.memory == together.frontier[i].cost.memory);
  }
  CHECK(one.counts.grids == together.counts.grids);
}

}  // namespace meshgauge
