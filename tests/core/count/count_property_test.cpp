// Properties of counting that hold for any scenario: what all ranks hold is the whole, more work never holds less,
// what data parallelism does not share does not depend on it, and the work of a step does not depend on the layout.
#include "core/compose/step.hpp"
#include "core/count/memory.hpp"
#include "core/count/parameters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_scenario.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Bytes peak(const Scenario& s) { return device_peak(s, OverheadConstants{}); }

/// What a rank of the stage holds of 16-bit parameters.
double parameters_held(const Scenario& s, std::int64_t stage) {
  Ledger ledger;
  count_memory(s, OverheadConstants{}, stage, ledger);
  double bytes = 0;
  for (const LedgerLine& line : ledger.lines) {
    if (line.category == Category::parameters && line.phases.has(Phase::forward)) bytes += line.bytes.value;
  }
  return bytes / 2;
}

}  // namespace

TEST_CASE("What all stages and tensor ranks hold of the parameters is the whole model") {
  const ModelShape model = llama(48, 4096, 11008, 32, 8, 131072);
  // Embedding and head, per layer q, k, v, o and three matrices, two norms and the last one.
  const double h = 4096, norms = (2 * 48 + 1) * h;
  const double whole = 2 * 131072 * h + 48 * (2 * h * h + 2 * h * 1024 + 3 * h * 11008) + norms;
  REQUIRE(total_parameters(model) == whole);
  for (const std::int64_t t : {1, 2, 4, 8}) {
    for (const std::int64_t p : {1, 2, 4, 8, 16}) {
      Scenario s = megatron(model, dgx_h100(t * p * 2), t, p, 4096, 1, 64);
      s.parallelism.zero_stage = 0;
      double held = 0;
      for (std::int64_t stage = 0; stage < p; ++stage) held += static_cast<double>(t) * parameters_held(s, stage);
      INFO("tensor " << t << ", pipeline " << p);
      CHECK(held == whole + static_cast<double>(t - 1) * norms);  // norms are on every tensor rank
    }
  }
}

TEST_CASE("The shards of all data-parallel ranks are the whole model, but for what rounding up adds") {
  for (const Engine engine : {Engine::fsdp1, Engine::fsdp2, Engine::deepspeed}) {
    for (const std::int64_t d : {1, 8, 64, 1000}) {
      const Scenario s = data_parallel(llama2_7b(), dgx_a100(d), engine, 3, 4096, 1, d);
      Ledger ledger;
      count_memory(s, OverheadConstants{}, 0, ledger);
      double master_bytes = 0;  // fp32, of a rank
      for (const LedgerLine& line : ledger.lines) {
        if (line.category == Category::optimizer && line.phases.has(Phase::forward)) master_bytes += line.bytes.value;
      }
      // Adam's two fp32 states at the least; DeepSpeed counts its fp32 copy with them.
      const double states = engine == Engine::deepspeed ? 12 : 8;
      const double all = static_cast<double>(d) * master_bytes / states;
      INFO(name_of(engine) << " on " << d);
      CHECK(all >= total_parameters(s.model) - static_cast<double>(d));  // lines are whole bytes
      CHECK(all <= total_parameters(s.model) * 1.001 + static_cast<double>(d) * 1024 * 300);
    }
  }
}

TEST_CASE("More work never holds less") {
  Random random(31);
  for (int i = 0; i < 300; ++i) {
    const Scenario s = random_scenario(random);
    INFO("scenario " << i << ' ' << name_of(s.training.engine) << ' ' << name_of(s.parallelism.schedule));
    Scenario more = s;
    more.training.micro_batch_size *= 2;
    more.training.global_batch_size *= 2;
    CHECK(peak(more) >= peak(s));
    more = s;
    more.training.sequence_length *= 2;
    CHECK(peak(more) >= peak(s));
    more = s;
    more.training.recompute = Recompute::none;
    CHECK(peak(more) >= peak(s));
  }
}

TEST_CASE("Twice the replicas with twice the batch hold the same and compute the same where nothing is sharded") {
  Random random(37);
  for (int i = 0; i < 200; ++i) {
    Scenario s = random_megatron(random);
    s.parallelism.zero_stage = 0;
    s.parallelism.expert = 1;
    s.parallelism.expert_tensor = s.parallelism.tensor;
    Scenario wide = s;
    wide.cluster.gpus *= 2;
    wide.parallelism.data *= 2;
    wide.training.global_batch_size *= 2;
    INFO("scenario " << i << ' ' << name_of(s.parallelism.schedule));
    const auto compute = [](const Scenario& of) {
      return estimate_step(of, default_profile(of.cluster)).parts[static_cast<std::size_t>(Part::compute)].value;
    };
    CHECK(compute(wide) == Approx(compute(s)).epsilon(1e-9));
    for (std::int64_t stage = 0; stage < s.parallelism.pipeline; ++stage)
      CHECK(parameters_held(wide, stage) == parameters_held(s, stage));
  }
}

TEST_CASE("The work of a step does not depend on the layout, and doubles with the batch") {
  Random random(41);
  for (int i = 0; i < 200; ++i) {
    Scenario s = random_scenario(random);
    s.model.vocab = 131072;  // no engine pads it
    INFO("scenario " << i << ' ' << name_of(s.training.engine) << ' ' << name_of(s.parallelism.schedule));
    const double work = estimate_step(s, default_profile(s.cluster)).flops.model_causal;
    Scenario one =
        data_parallel(s.model, s.cluster, Engine::ddp, 0, s.training.sequence_length, 1, s.training.global_batch_size);
    CHECK(estimate_step(one, default_profile(one.cluster)).flops.model_causal == Approx(work).epsilon(1e-12));
    Scenario twice = s;
    twice.training.global_batch_size *= 2;
    CHECK(estimate_step(twice, default_profile(twice.cluster)).flops.model_causal == Approx(2 * work).epsilon(1e-12));
  }
}

}  // namespace meshgauge
