// Length and price of a run.
#include "core/compose/step.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {

using namespace hand_built;

TEST_CASE("A run without tokens has no length") {
  const Scenario s = megatron(llama2_7b(), dgx_a100(8), 1, 1, 4096, 1, 64);
  CHECK_FALSE(estimate_run(s, StepReport{}).has_value());
}

TEST_CASE("Days, GPU-hours and cost follow from the step") {
  Scenario s = megatron(llama2_7b(), dgx_a100(64), 1, 1, 4096, 1, 1024);
  s.training.tokens = 2e12;
  s.cluster.usd_per_gpu_hour = 2.0;
  StepReport step;
  step.seconds = {20};
  const auto run = estimate_run(s, step);
  REQUIRE(run.has_value());
  const double steps = 2e12 / (4096.0 * 1024);
  CHECK(run->steps == Approx(steps));
  CHECK(run->days == Approx(steps * 20 / 86400));
  CHECK(run->gpu_hours == Approx(64 * 24 * run->days));
  REQUIRE(run->cost_usd.has_value());
  CHECK(*run->cost_usd == Approx(2 * run->gpu_hours));
}

TEST_CASE("LLaMA's published token rate gives its published 21 days") {
  // Touvron et al. 2023, arXiv:2302.13971 section 2.4: 380 tokens/s for each of 2048 A100, 1.4e12 tokens: about 21
  // days.
  Scenario s = megatron(llama(80, 8192, 22016, 64, 64, 32000), dgx_a100(2048), 8, 1, 2048, 1, 2048);
  s.training.tokens = 1.4e12;
  StepReport step;
  step.seconds = {2048 * 2048 / (380.0 * 2048)};
  CHECK(estimate_run(s, step)->days == Approx(21).margin(0.5));
}

}  // namespace meshgauge
