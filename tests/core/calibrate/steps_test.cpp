// Steps that were made with known constants, and the reasons of one that differs.
#include "core/calibrate/steps.hpp"

#include <algorithm>
#include <cmath>

#include "core/compose/step.hpp"
#include "core/resolve/resolve.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/noise.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Scenario scenario_of(const ModelShape& model, const Cluster& cluster, std::int64_t ranks, std::int64_t sequence) {
  ScenarioRequest request;
  request.model = model;
  request.hardware = cluster;
  request.cluster.gpus = ranks;
  request.training.engine = Engine::ddp;
  request.training.precision = cluster.gpu.is_cpu() ? Precision::fp32 : Precision::bf16;
  request.training.sequence_length = sequence;
  const Result<Resolution> resolution = resolve(request);
  REQUIRE(resolution.ok());
  return resolution.value->scenario;
}

std::vector<StepObservation> steps_on(const Profile& truth, const Cluster& cluster, double scatter) {
  testing::Noise noise(5);
  std::vector<StepObservation> runs;
  const auto add = [&](std::int64_t layers, std::int64_t hidden, std::int64_t vocab, std::int64_t sequence) {
    const Scenario s = scenario_of(gpt(layers, hidden, hidden / 64, vocab), cluster, 2, sequence);
    const StepReport report = estimate_step(s, truth);
    const auto seen = [&](Seconds t) { return (1 + scatter * noise.normal()) * t; };
    runs.push_back({"run " + std::to_string(runs.size()), s, seen(report.seconds),
                    seen(report.seconds - report.exposed()), seen(report.communication())});
  };
  add(2, 128, 1024, 64);
  add(1, 256, 1024, 1024);
  add(1, 128, 16384, 128);
  add(4, 256, 2048, 128);
  add(2, 512, 4096, 128);
  add(2, 512, 4096, 512);
  return runs;
}

Cluster processors() {
  Cluster cluster = cpu_ranks();
  cluster.gpus = cluster.gpus_per_node = 2;
  return cluster;
}

}  // namespace

TEST_CASE("Speeds of a processor are found from six short steps, and predict others") {
  const Cluster cluster = processors();
  const Profile base = default_profile(cluster);
  Profile truth = base;
  truth.matmul_fp32 = 0.4 * truth.matmul_fp32;
  truth.flash_forward = truth.flash_backward = 0.2 * truth.flash_forward;
  truth.pass_speed = 0.3;
  truth.loss_speed = 0.1;
  truth.update_speed = 0.8;
  truth.link_share = 0.7;
  truth.fixed_per_step = {400e-6};
  const StepFit fit = fit_steps(base, steps_on(truth, cluster, 0.01));
  REQUIRE(fit.fitted);
  CHECK(fit.error_before.median > 0.3);
  CHECK(fit.error_after.median < 0.03);
  for (const auto& [layers, hidden, vocab, sequence] :
       {std::array<std::int64_t, 4>{3, 384, 8192, 256}, {6, 256, 1024, 512}, {2, 768, 2048, 128}}) {
    const Scenario other = scenario_of(gpt(layers, hidden, hidden / 64, vocab), cluster, 2, sequence);
    CHECK(estimate_step(other, fit.profile).seconds.value ==
          Approx(estimate_step(other, truth).seconds.value).epsilon(0.06));
  }
  for (const FittedParameter& p : fit.parameters) {
    if (p.field != "link_share") continue;
    CHECK(std::fabs(std::log(p.after / 0.7)) < 3 * p.sigma);
  }
}

TEST_CASE("Three steps are too few for a fit of constants") {
  const Cluster cluster = processors();
  std::vector<StepObservation> runs = steps_on(default_profile(cluster), cluster, 0);
  runs.resize(3);
  const StepFit fit = fit_steps(default_profile(cluster), runs);
  CHECK_FALSE(fit.fitted);
  CHECK(fit.parameters.empty());
}

TEST_CASE("A step that is longer because products are slower finds how much slower they are") {
  const Cluster cluster = dgx_a100(8);
  const Profile base = default_profile(cluster);
  const Scenario s = scenario_of(llama2_7b(), cluster, 8, 4096);
  Profile slower = base;
  slower.matmul_16bit = slower.matmul_16bit / 1.1;
  const Seconds measured = estimate_step(s, slower).seconds;
  const std::vector<Explanation> terms = explain_step(base, s, measured);
  const auto products =
      std::find_if(terms.begin(), terms.end(), [](const Explanation& e) { return e.term == "matrix products"; });
  REQUIRE(products != terms.end());
  CHECK(products - terms.begin() < 3);
  CHECK(products->factor == Approx(1.1).epsilon(0.01));
  CHECK(products->plausible());
  for (const Explanation& e : terms) {
    if (e.field == "loss_speed") CHECK_FALSE(e.plausible());
  }
}

TEST_CASE("A step twice as long is more than any term usually differs by") {
  const Cluster cluster = dgx_a100(8);
  const Profile base = default_profile(cluster);
  const Scenario s = scenario_of(llama2_7b(), cluster, 8, 4096);
  const auto terms = explain_step(base, s, 2 * estimate_step(s, base).seconds);
  CHECK(std::none_of(terms.begin(), terms.end(),
                     [](const Explanation& e) { return e.term == "matrix products" && e.plausible(); }));
}

TEST_CASE("A run of one's own corrects runs like it and leaves others alone") {
  const Cluster cluster = dgx_a100(8);
  const Profile base = default_profile(cluster);
  const Scenario s = scenario_of(llama2_7b(), cluster, 8, 4096);
  const Seconds predicted = estimate_step(s, base).seconds;
  const Profile learned = with_runs(base, {{"mine", s, 1.15 * predicted, {}, {}}});
  REQUIRE(learned.measured.runs.size() == 1);
  CHECK(estimate_step(s, learned).seconds.value == Approx(1.15 * predicted.value).epsilon(1e-3));
  const Scenario small = scenario_of(gpt(12, 768, 12, 50304), cluster, 8, 512);
  CHECK(estimate_step(small, learned).seconds.value == Approx(estimate_step(small, base).seconds.value).epsilon(0.005));
  CHECK(with_runs(learned, {{"mine", s, 1.15 * predicted, {}, {}}}).measured == learned.measured);
  // The parts still add up to the step.
  const StepReport report = estimate_step(s, learned);
  Seconds sum{};
  for (const Seconds& part : report.parts) sum += part;
  CHECK(sum.value == Approx(report.seconds.value).epsilon(1e-9));
}

}  // namespace meshgauge
