// Properties that hold for any scenario: better hardware is never slower, recompute never faster, numbers stay finite.
#include <cmath>

#include "core/compose/step.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

/// Numbers that are the same everywhere.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed) {}
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::int64_t>(state_ >> 8) % n;
  }
  std::int64_t power_of_two(std::int64_t up_to) { return std::int64_t{1} << below(up_to + 1); }

 private:
  unsigned state_;
};

Scenario random_megatron(Random& random) {
  const ModelShape models[] = {llama2_7b(), llama3_8b(), llama2_70b(), mixtral_8x7b(), gpt(24, 2048, 16, 50257)};
  const std::int64_t t = random.power_of_two(3), p = random.power_of_two(3), c = random.power_of_two(1),
                     d = random.power_of_two(3);
  const std::int64_t gpus = t * p * c * d;
  const Cluster cluster = random.below(2) == 0 ? dgx_a100(gpus) : dgx_h100(gpus);
  const Schedule schedules[] = {Schedule::one_f_one_b, Schedule::gpipe,       Schedule::zb_h1,
                                Schedule::zb_h2,       Schedule::zb_v,        Schedule::naive,
                                Schedule::pipedream,   Schedule::interleaved, Schedule::dualpipe};
  const Schedule schedule = p > 1 ? schedules[random.below(9)] : Schedule::one_f_one_b;
  // Drained schedules also with fewer micro-batches than stages; zero bubbles need enough of them to fill the pipeline.
  const bool fills = schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::zb_v ||
                     schedule == Schedule::interleaved || schedule == Schedule::dualpipe;
  const std::int64_t micro = random.power_of_two(2);
  const std::int64_t m = std::max<std::int64_t>(1, (fills ? 2 * p : p / 2) * random.power_of_two(2));
  Scenario s = megatron(models[random.below(5)], cluster, t, p, 1024 * random.power_of_two(3), micro, micro * m * d);
  s.parallelism.context = c;
  s.parallelism.data = d;
  s.parallelism.context_kind = static_cast<ContextParallelKind>(random.below(3));
  if (s.model.moe.used()) {
    s.parallelism.expert_tensor = 1;
    s.parallelism.expert = std::min<std::int64_t>(8, t * c * d);
  }
  s.parallelism.zero_stage = random.below(2);
  s.parallelism.schedule = schedule;
  if (s.parallelism.schedule == Schedule::zb_v || s.parallelism.schedule == Schedule::interleaved) {
    s.parallelism.virtual_pipeline = 2;
  }
  s.training.recompute = static_cast<Recompute>(random.below(3));
  s.training.recompute_modules.core_attention = true;
  s.training.attention = static_cast<Attention>(random.below(2));
  s.training.kernels = static_cast<Kernels>(random.below(3));
  return s;
}

Scenario random_data_parallel(Random& random) {
  const std::int64_t d = random.power_of_two(8), micro = random.power_of_two(2);
  const Cluster cluster = random.below(2) == 0 ? dgx_a100(d) : dgx_h100(d);
  const Engine engines[] = {Engine::ddp, Engine::fsdp1, Engine::fsdp2, Engine::deepspeed};
  const std::int64_t which = random.below(4);
  const std::int64_t zero = which == 0 ? 0 : which == 3 ? random.below(4) : 2 + random.below(2);
  return data_parallel(random.below(2) == 0 ? llama2_7b() : gpt(24, 2048, 16, 50257), cluster, engines[which], zero,
                       1024 * random.power_of_two(2), micro, micro * d * random.power_of_two(2));
}

Scenario random_scenario(Random& random) {
  return random.below(3) == 0 ? random_data_parallel(random) : random_megatron(random);
}

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
