// A run's measured memory beside the counted one.
#include "core/calibrate/memory.hpp"

#include "core/resolve/resolve.hpp"
#include "core/validate/prediction.hpp"
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
  request.training.engine = Engine::fsdp1;
  request.training.sequence_length = 4096;
  const Result<Resolution> resolution = resolve(request);
  REQUIRE(resolution.ok());
  return resolution.value->scenario;
}

}  // namespace

TEST_CASE("Reserved and device memory teach the allocator's slack and the context") {
  const Scenario s = scenario();
  const Profile base = default_profile(s.cluster);
  const Prediction counted = predict(s, base, MeasuredRank::max);
  Measured measured;
  const Bytes reserved = 1.1 * counted.memory[1];
  measured.memory = {counted.memory[0], reserved, reserved + 3 * gibibyte};
  const Profile learned = with_memory(base, s, measured);
  CHECK(learned.overhead.allocator_slack > base.overhead.allocator_slack);
  CHECK(learned.overhead.context > base.overhead.context);
  const Prediction after = predict(s, learned, MeasuredRank::max);
  CHECK(after.memory[1].value == Approx(measured.memory[1]->value).epsilon(0.001));
  CHECK(after.memory[2].value == Approx(measured.memory[2]->value).epsilon(0.001));
  CHECK(after.memory[0] == counted.memory[0]);
}

TEST_CASE("More allocated memory than counted is explained by activations before weights") {
  const Scenario s = scenario();
  const Profile base = default_profile(s.cluster);
  Measured measured;
  measured.memory[0] = 1.1 * predict(s, base, MeasuredRank::max).memory[0];
  const auto found = explain_memory(base, s, measured);
  REQUIRE(found.size() == 1);
  REQUIRE_FALSE(found[0].explanations.empty());
  const MemoryExplanation& first = found[0].explanations.front();
  CHECK(first.category != Category::parameters);
  CHECK(first.category != Category::optimizer);
  CHECK(first.counted.value * (first.factor - 1) == Approx(measured.memory[0]->value - found[0].before.value));
}

TEST_CASE("Memory within one per cent needs no explanation") {
  const Scenario s = scenario();
  const Profile base = default_profile(s.cluster);
  Measured measured;
  measured.memory[0] = 1.005 * predict(s, base, MeasuredRank::max).memory[0];
  const auto found = explain_memory(base, s, measured);
  REQUIRE(found.size() == 1);
  CHECK(found[0].explanations.empty());
}

}  // namespace meshgauge
