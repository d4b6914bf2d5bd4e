// The log of a run as one measured run.
#include "core/calibrate/run_log.hpp"

#include "core/resolve/resolve.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Scenario scenario() {
  ScenarioRequest request;
  request.model = llama2_7b();
  request.hardware = dgx_a100(8);
  request.cluster.gpus = 8;
  const Result<Resolution> resolution = resolve(request);
  REQUIRE(resolution.ok());
  return resolution.value->scenario;
}

ImportedRun log_of(const std::vector<MeasuredStep>& steps, const char* tool = "megatron") {
  ImportedRun run;
  run.tool = tool;
  for (const MeasuredStep& step : steps) run.measurements.push_back({0, step});
  return run;
}

MeasuredStep step_of(double seconds, double allocated = 0) {
  MeasuredStep step;
  step.seconds = {seconds};
  step.allocated = {allocated};
  return step;
}

}  // namespace

TEST_CASE("A log's step is the median after the warm-up, its memory the highest") {
  const std::vector<ImportedRun> runs{log_of({step_of(40, 1e9), step_of(4.1, 3e9), step_of(4.2, 5e9), step_of(4.3)})};
  const Measured measured = measured_by(runs, scenario());
  CHECK(measured.step->value == Approx(4.2));
  CHECK(measured.memory[0]->value == 5e9);
  CHECK_FALSE(measured.memory[1].has_value());
  CHECK(steps_in(runs) == 4);
}

TEST_CASE("Tokens per second make a step of the scenario's tokens") {
  const Scenario s = scenario();
  MeasuredStep each, all;
  each.tokens_per_second_per_gpu = 3000;
  all.tokens_per_second = 48000;
  CHECK(measured_by({log_of({each})}, s).step->value == Approx(s.tokens_per_step() / 24000));
  CHECK(measured_by({log_of({all})}, s).step->value == Approx(s.tokens_per_step() / 48000));
}

TEST_CASE("Steps of the benchmark are no training log") {
  CHECK(steps_in({log_of({step_of(1)}, "meshgauge-bench")}) == 0);
  CHECK_FALSE(measured_by({}, scenario()).has_number());
}

}  // namespace meshgauge
