// What is predicted of a run: the rank asked for, each kind of memory at its own peak, and what is compared.
#include "core/validate/prediction.hpp"

#include <algorithm>

#include "core/compose/step.hpp"
#include "core/count/memory.hpp"
#include "core/validate/comparison.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace {

using namespace meshgauge;

constexpr auto allocated = static_cast<std::size_t>(MemoryKind::allocated);
constexpr auto reserved = static_cast<std::size_t>(MemoryKind::reserved);
constexpr auto device = static_cast<std::size_t>(MemoryKind::device);

/// Four stages, of which the first keeps most micro-batches alive and the last has the logits.
Scenario four_stages() {
  return hand_built::megatron(hand_built::llama2_7b(), hand_built::dgx_h100(8), 2, 4, 4096, 1, 32);
}

/// The largest sum over phases of the lines that `counts` takes.
template <class Counts>
double peak(const Scenario& s, const Profile& profile, std::int64_t stage, Counts counts) {
  Ledger ledger;
  count_memory(s, profile.overhead, stage, ledger);
  double most = 0;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    double sum = 0;
    for (const LedgerLine& line : ledger.lines) {
      if (line.phases.has(static_cast<Phase>(phase)) && counts(line)) sum += line.bytes.value;
    }
    most = std::max(most, sum);
  }
  return most;
}

bool is_tensor(const LedgerLine& line) { return line.category != Category::overhead; }
bool is_anything(const LedgerLine&) { return true; }

Measured with_step(double seconds) {
  Measured m;
  m.step = Seconds{seconds};
  return m;
}

std::array<double, memory_kind_count> all_kinds(double half_range) { return {half_range, half_range, half_range}; }

}  // namespace

TEST_CASE("The memory of the first or the last rank is that stage's, of max the largest") {
  const Scenario s = four_stages();
  const Profile profile = default_profile(s.cluster);
  const double first = peak(s, profile, 0, is_tensor);
  const double last = peak(s, profile, 3, is_tensor);
  REQUIRE(first != last);
  double most = 0;
  for (std::int64_t stage = 0; stage < 4; ++stage) most = std::max(most, peak(s, profile, stage, is_tensor));
  CHECK(predict(s, profile, MeasuredRank::first).memory[allocated].value == first);
  CHECK(predict(s, profile, MeasuredRank::last).memory[allocated].value == last);
  CHECK(predict(s, profile, MeasuredRank::max).memory[allocated].value == most);
}

TEST_CASE("Each kind of memory is at its own peak, and reserved lies between the others") {
  const Scenario s = four_stages();
  const Profile profile = default_profile(s.cluster);
  const Prediction p = predict(s, profile, MeasuredRank::first);
  CHECK(p.memory[device].value == peak(s, profile, 0, is_anything));
  CHECK(p.memory[allocated] < p.memory[reserved]);
  CHECK(p.memory[reserved] < p.memory[device]);
}

TEST_CASE("Whether a run fits is decided by the fullest stage, whichever rank was measured") {
  Scenario s = four_stages();
  const Profile profile = default_profile(s.cluster);
  const Bytes fullest = predict(s, profile, MeasuredRank::max).memory[device];
  s.cluster.gpu.memory = fullest;
  CHECK(predict(s, profile, MeasuredRank::last).fits);
  // On a smaller card the allocator gives cached blocks back, down to the tensors.
  s.cluster.gpu.memory = predict(s, profile, MeasuredRank::max).memory[allocated];
  CHECK_FALSE(predict(s, profile, MeasuredRank::last).fits);
}

TEST_CASE("Step time and its range are those of an estimate") {
  const Scenario s = four_stages();
  const Profile profile = default_profile(s.cluster);
  const StepReport step = estimate_step(s, profile);
  const Prediction p = predict(s, profile, MeasuredRank::max);
  CHECK(p.step == step.seconds);
  const RunComparison c = compare(with_step(step.high.value), p, all_kinds(0.1));
  REQUIRE(c.step);
  CHECK(c.step->within());
  CHECK(c.step->error() == Approx(step.seconds.value / step.high.value - 1));
  CHECK_FALSE(compare(with_step(step.high.value * 1.001), p, all_kinds(0.1)).step->within());
}

TEST_CASE("A step or memory that was measured shows that the run fitted") {
  const Prediction too_large{};  // does not fit
  const RunComparison c = compare(with_step(1), too_large, all_kinds(0));
  REQUIRE(c.fits);
  CHECK(c.fits->measured);
  CHECK_FALSE(c.fits->right());
}

TEST_CASE("Of a run that ran out of memory only that is compared") {
  Measured m = with_step(1);
  m.memory[allocated] = Bytes{80e9};
  m.out_of_memory = true;
  const RunComparison c = compare(m, Prediction{}, all_kinds(0));
  CHECK_FALSE(c.step);
  CHECK_FALSE(c.memory[allocated]);
  REQUIRE(c.fits);
  CHECK(c.fits->right());
}

TEST_CASE("The range of memory is as wide as it is said to be") {
  Prediction p;
  p.memory[device] = Bytes{1000};
  Measured m;
  m.memory[device] = Bytes{1100};
  CHECK(compare(m, p, all_kinds(0.1)).memory[device]->within());
  m.memory[device] = Bytes{1101};
  CHECK_FALSE(compare(m, p, all_kinds(0.1)).memory[device]->within());
  CHECK(compare(m, p, all_kinds(2)).memory[device]->low == 0);
}
