// Properties that hold for any scenario: better hardware is never slower, recompute never faster, numbers stay finite.
#include <cmath>

#include "core/compose/step.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_scenario.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

double seconds(const Scenario& s) { return estimate_step(s, default_profile(s.cluster)).seconds.value; }

bool finite(const StepReport& r) {
  bool all = std::isfinite(r.seconds.value) && std::isfinite(r.low.value) && std::isfinite(r.high.value) &&
             std::isfinite(r.mfu_causal) && std::isfinite(r.mfu_full) && std::isfinite(r.hfu) &&
             std::isfinite(r.tokens_per_second_per_gpu) && std::isfinite(r.flops.hardware);
  for (const Seconds& p : r.parts) all = all && std::isfinite(p.value);
  for (const PricedTransfer& p : r.traffic)
    all = all && std::isfinite(p.seconds.value) && std::isfinite(p.exposed.value);
  return all;
}

}  // namespace

TEST_CASE("Better hardware is never slower") {
  // Published tools fail this: overlap switched on raised one's prediction in 897 of 903 cases.
  Random random(7);
  constexpr double rounding = 1 + 1e-9;
  for (int i = 0; i < 300; ++i) {
    const Scenario s = random_scenario(random);
    const double base = seconds(s);
    INFO("scenario " << i << ' ' << name_of(s.training.engine) << ' ' << name_of(s.parallelism.schedule));
    Scenario faster = s;
    faster.cluster.inter.bandwidth = 2 * s.cluster.inter.bandwidth;
    CHECK(seconds(faster) <= base * rounding);
    faster = s;
    faster.cluster.intra.bandwidth = 1.7 * s.cluster.intra.bandwidth;
    CHECK(seconds(faster) <= base * rounding);
    faster = s;
    faster.cluster.gpu.hbm = 1.3 * s.cluster.gpu.hbm;
    CHECK(seconds(faster) <= base * rounding);
    faster = s;
    faster.cluster.gpu.bf16 = faster.cluster.gpu.fp16 = 1.4 * s.cluster.gpu.bf16;
    CHECK(seconds(faster) <= base * rounding);
    faster = s;
    faster.training.overlap_pipeline = true;
    CHECK(seconds(faster) <= base * rounding);
    Profile free_overlap = default_profile(s.cluster);
    free_overlap.overlap_cost = 0;
    CHECK(estimate_step(s, free_overlap).seconds.value <= base * rounding);
  }
}

TEST_CASE("Recompute is never faster and more work is never quicker") {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    Scenario s = random_scenario(random);
    s.training.recompute = Recompute::none;
    const double none = seconds(s);
    s.training.recompute = Recompute::selective;
    s.training.recompute_modules = {.core_attention = true, .mlp = true};
    const double selective = seconds(s);
    s.training.recompute = Recompute::full;
    INFO("scenario " << i << ' ' << name_of(s.training.engine) << ' ' << name_of(s.parallelism.schedule));
    CHECK(selective >= none * (1 - 1e-9));
    CHECK(seconds(s) >= none * (1 - 1e-9));
    s.training.recompute = Recompute::none;
    s.training.global_batch_size *= 2;
    CHECK(seconds(s) >= none * (1 - 1e-9));
  }
}

TEST_CASE("Parts sum, and transfers are at most fully exposed, for any layout") {
  Random random(23);
  for (int i = 0; i < 500; ++i) {
    const Scenario s = random_scenario(random);
    const StepReport r = estimate_step(s, default_profile(s.cluster));
    double sum = 0;
    for (const Seconds& p : r.parts) {
      CHECK(p.value >= 0);
      sum += p.value;
    }
    CHECK(sum == r.seconds.value);
    CHECK(finite(r));
    for (const PricedTransfer& p : r.traffic) CHECK(p.exposed.value <= p.seconds.value * (1 + 1e-12));
  }
}

TEST_CASE("Extremes stay finite") {
  // One GPU, a million GPUs, a sequence of 1e9, 1e14 parameters.
  CHECK(finite(estimate_step(data_parallel(llama2_7b(), dgx_a100(1), Engine::single, 0, 1, 1, 1),
                             default_profile(dgx_a100(1)))));
  const Cluster million = dgx_h100(1000000);
  const Scenario wide = megatron(llama31_405b(), million, 8, 125, 8192, 1, 1000);
  CHECK(finite(estimate_step(wide, default_profile(million))));
  const Scenario flat = data_parallel(llama2_7b(), million, Engine::fsdp2, 3, 4096, 1, 1000000);
  CHECK(finite(estimate_step(flat, default_profile(million))));
  Scenario lengthy = megatron(llama3_8b(), dgx_h100(1024), 8, 1, 1000000000, 1, 1);
  lengthy.parallelism.context = 128;
  lengthy.parallelism.data = 1;
  CHECK(finite(estimate_step(lengthy, default_profile(lengthy.cluster))));
  const ModelShape huge = llama(1000, 100000, 266000, 800, 800, 1000000);  // 1.2e14 parameters
  const Scenario large = megatron(huge, million, 8, 1000, 8192, 1, 125);
  CHECK(finite(estimate_step(large, default_profile(million))));
}

TEST_CASE("A head that does not divide, a batch of one and a vocabulary of nothing are priced") {
  ModelShape odd = gpt(3, 100, 3, 0);
  odd.head_dim = 33;
  for (const Attention attention : {Attention::flash, Attention::unfused}) {
    Scenario s = data_parallel(odd, dgx_a100(1), Engine::single, 0, 7, 1, 1);
    s.training.attention = attention;
    CHECK(finite(estimate_step(s, default_profile(s.cluster))));
  }
}

}  // namespace meshgauge
