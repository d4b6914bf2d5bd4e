// The step report: its parts, its traffic, its utilisations, engine by engine.
#include "core/compose/step.hpp"

#include <algorithm>
#include <string_view>

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

StepReport estimate(const Scenario& s) { return estimate_step(s, default_profile(s.cluster)); }

double part(const StepReport& r, Part p) { return r.parts[static_cast<std::size_t>(p)].value; }

double sum_of_parts(const StepReport& r) {
  double sum = 0;
  for (const Seconds& s : r.parts) sum += s.value;
  return sum;
}

/// Exposed seconds on the slowest stage's lines.
double exposed(const StepReport& r) {
  double sum = 0;
  for (const PricedTransfer& p : r.traffic) {
    if (p.first_stage <= r.slowest_stage && r.slowest_stage <= p.last_stage) sum += p.exposed.value;
  }
  return sum;
}

double communication(const StepReport& r) {
  return part(r, Part::tensor_parallel) + part(r, Part::context_parallel) + part(r, Part::expert_parallel) +
         part(r, Part::pipeline_parallel) + part(r, Part::data_parallel);
}

std::vector<Scenario> many_kinds() {
  std::vector<Scenario> all;
  all.push_back(data_parallel(llama2_7b(), dgx_a100(1), Engine::single, 0, 2048, 1, 8));
  all.push_back(data_parallel(llama2_7b(), dgx_a100(4), Engine::dp, 0, 2048, 1, 8));
  all.push_back(data_parallel(llama2_7b(), dgx_a100(64), Engine::ddp, 0, 2048, 1, 256));
  all.push_back(data_parallel(llama2_7b(), dgx_a100(64), Engine::hf, 0, 2048, 1, 128));
  for (const std::int64_t zero : {2, 3}) {
    all.push_back(data_parallel(llama2_7b(), dgx_h100(64), Engine::fsdp1, zero, 4096, 1, 128));
    all.push_back(data_parallel(llama2_7b(), dgx_h100(64), Engine::fsdp2, zero, 4096, 1, 128));
  }
  for (const std::int64_t zero : {0, 1, 2, 3}) {
    all.push_back(data_parallel(llama2_7b(), dgx_h100(64), Engine::deepspeed, zero, 4096, 1, 128));
  }
  all.push_back(megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64));
  Scenario interleaved = megatron(gpt3_175b(), dgx_a100(128), 8, 8, 2048, 1, 64);
  interleaved.parallelism.virtual_pipeline = 3;
  interleaved.parallelism.schedule = Schedule::interleaved;
  interleaved.training.recompute = Recompute::full;
  interleaved.training.attention = Attention::unfused;
  all.push_back(interleaved);
  for (const Schedule schedule : {Schedule::naive, Schedule::gpipe, Schedule::pipedream, Schedule::pipedream_2bw,
                                  Schedule::zb_h1, Schedule::zb_h2, Schedule::zb_v, Schedule::dualpipe}) {
    Scenario s = megatron(llama2_70b(), dgx_h100(64), 4, 8, 4096, 1, 64);
    s.parallelism.schedule = schedule;
    if (schedule == Schedule::zb_v) s.parallelism.virtual_pipeline = 2;
    all.push_back(s);
  }
  for (const ContextParallelKind kind :
       {ContextParallelKind::ring, ContextParallelKind::all_gather, ContextParallelKind::ulysses}) {
    Scenario s = megatron(llama3_8b(), dgx_h100(64), 2, 1, 131072, 1, 8);
    s.parallelism.context = 4;
    s.parallelism.data = 8;
    s.parallelism.context_kind = kind;
    s.training.recompute = Recompute::full;
    all.push_back(s);
  }
  Scenario experts = megatron(deepseek_v3(), dgx_h100(1024), 1, 16, 4096, 1, 1024);
  experts.parallelism.expert = 64;
  experts.model.mtp_depth = 1;
  experts.training.precision = Precision::fp8;
  all.push_back(experts);
  all.push_back(megatron(mixtral_8x7b(), dgx_a100(64), 4, 2, 4096, 1, 64));
  all.push_back(megatron(t5_large(), dgx_a100(16), 2, 2, 512, 4, 64));
  all.push_back(data_parallel(bert_large(), dgx_a100(8), Engine::ddp, 0, 512, 8, 64));
  return all;
}

}  // namespace

TEST_CASE("The parts of a step add up to it, and exposed transfers to the communication parts") {
  for (const Scenario& s : many_kinds()) {
    const StepReport r = estimate(s);
    INFO(name_of(s.training.engine) << ' ' << s.model.id << ' ' << name_of(s.parallelism.schedule) << " zero "
                                    << s.parallelism.zero_stage);
    CHECK(r.seconds.value > 0);
    CHECK(sum_of_parts(r) == r.seconds.value);
    CHECK(exposed(r) == Approx(communication(r)).epsilon(1e-12).margin(1e-15));
    for (const Seconds& p : r.parts) CHECK(p.value >= 0);
    for (const PricedTransfer& p : r.traffic) {
      CHECK(p.exposed.value >= 0);
      CHECK(p.exposed.value <= p.seconds.value * (1 + 1e-12));
    }
    CHECK(r.low < r.seconds);
    CHECK(r.high > r.seconds);
    CHECK(r.mfu_causal > 0);
    CHECK(r.mfu_causal <= r.mfu_full);
    CHECK(r.hfu < 1);
  }
}

TEST_CASE("Rates follow from the step time") {
  const Scenario s = megatron(llama2_70b(), dgx_h100(64), 8, 4, 4096, 1, 128);
  const StepReport r = estimate(s);
  CHECK(r.tokens_per_second_per_gpu == Approx(128 * 4096.0 / (64 * r.seconds.value)));
  CHECK(r.model_flops_per_gpu.value == Approx(r.flops.model_causal / (64 * r.seconds.value)));
  CHECK(r.mfu_causal == Approx(r.model_flops_per_gpu.value / 989.4e12));
  Scenario eight = s;
  eight.training.precision = Precision::fp8;
  const StepReport e = estimate(eight);
  CHECK(e.mfu_causal == Approx(e.model_flops_per_gpu.value / 1978.9e12));  // over the peak of the recipe's format
}

TEST_CASE("Equal transfers of neighbouring stages are one line") {
  const StepReport r = estimate(megatron(gpt3_175b(), dgx_a100(256), 8, 16, 2048, 1, 64));
  std::size_t sends = 0;
  for (const PricedTransfer& p : r.traffic) {
    if (std::string_view(p.transfer.id) != "pp_send_forward") continue;
    ++sends;
    CHECK(p.first_stage == 0);
    CHECK(p.last_stage == 14);
  }
  CHECK(sends == 1);
}

TEST_CASE("Every stage is covered once by each kind of line") {
  const StepReport r = estimate(megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64));
  std::int64_t stages = 0;
  for (const PricedTransfer& p : r.traffic) {
    if (std::string_view(p.transfer.id) == "dp_gradients") stages += p.last_stage - p.first_stage + 1;
  }
  CHECK(stages == 0);  // one replica: no data parallelism
  for (const PricedTransfer& p : r.traffic) {
    if (std::string_view(p.transfer.id) == "tp_forward_all_gather") stages += p.last_stage - p.first_stage + 1;
  }
  CHECK(stages == 8);
}

TEST_CASE("The naive schedule runs one stage after the other") {
  Scenario s = megatron(llama2_7b(), dgx_a100(4), 1, 4, 2048, 1, 8);
  s.parallelism.schedule = Schedule::naive;
  const StepReport r = estimate(s);
  // Three of four GPUs wait at any time; the busiest one does a little more than a quarter of the work.
  CHECK(part(r, Part::bubble) / r.seconds.value > 0.65);
  CHECK(part(r, Part::bubble) / r.seconds.value < 0.76);
}

TEST_CASE("The head makes the last stage the slowest") {
  Scenario s = megatron(llama3_8b(), dgx_a100(8), 1, 8, 4096, 1, 64);
  CHECK(estimate(s).slowest_stage == 7);
  s.model.vocab = 1024;
  s.parallelism.stage_layers = {5, 4, 4, 4, 4, 4, 4, 3};
  CHECK(estimate(s).slowest_stage == 0);
}

TEST_CASE("Embedding and head make one chunk of their rank longer, and dense layers of a mixture shorter") {
  const auto forward = [](const StepReport& r, std::size_t rank, std::int32_t chunk) {
    for (const Event& e : r.timeline[rank].events) {
      if (e.kind == EventKind::forward && e.chunk == chunk) return e.end.value - e.start.value;
    }
    return 0.0;
  };
  Scenario s = megatron(llama3_8b(), dgx_h100(4), 1, 4, 4096, 1, 16);
  s.parallelism.schedule = Schedule::interleaved;
  s.parallelism.virtual_pipeline = 2;
  const StepReport dense = estimate_step(s, default_profile(s.cluster), Record::yes);
  REQUIRE(dense.timeline.size() == 4);
  CHECK(forward(dense, 0, 0) > forward(dense, 0, 1));
  CHECK(forward(dense, 1, 0) == Approx(forward(dense, 0, 1)));
  CHECK(forward(dense, 3, 1) > 1.2 * forward(dense, 3, 0));  // 128,256 rows beside four layers

  Scenario mixture = megatron(deepseek_v3(), dgx_h100(1024), 1, 8, 4096, 1, 1024);
  mixture.parallelism.expert = 64;
  mixture.parallelism.schedule = Schedule::interleaved;
  mixture.parallelism.virtual_pipeline = 4;
  const StepReport experts = estimate_step(mixture, default_profile(mixture.cluster), Record::yes);
  CHECK(forward(experts, 0, 0) < forward(experts, 0, 1));  // its first layers have no experts
}

TEST_CASE("A recorded step is the step, and ends when it says") {
  for (const Scenario& s : many_kinds()) {
    const StepReport plain = estimate(s), recorded = estimate_step(s, default_profile(s.cluster), Record::yes);
    INFO(name_of(s.training.engine) << ' ' << s.model.id << ' ' << name_of(s.parallelism.schedule));
    CHECK(recorded.seconds == plain.seconds);
    CHECK(plain.timeline.empty());
    REQUIRE(recorded.timeline.size() == static_cast<std::size_t>(s.parallelism.pipeline));
    double end = 0;
    for (const StageTimeline& stage : recorded.timeline) {
      for (const Event& e : stage.events) end = std::max(end, e.end.value);
    }
    CHECK(end == Approx(plain.seconds.value).epsilon(1e-9));
  }
}

TEST_CASE("Gradients hide behind the backward only where the engine overlaps them") {
  const StepReport ddp = estimate(data_parallel(llama2_7b(), dgx_h100(64), Engine::ddp, 0, 4096, 1, 128));
  const StepReport plain = estimate(data_parallel(llama2_7b(), dgx_h100(64), Engine::deepspeed, 0, 4096, 1, 128));
  const auto gradients = [](const StepReport& r) {
    for (const PricedTransfer& p : r.traffic) {
      if (std::string_view(p.transfer.id) == "dp_gradients") return p.exposed / p.seconds;
    }
    return -1.0;
  };
  CHECK(gradients(plain) == 1);
  CHECK(gradients(ddp) < 1);
  CHECK(gradients(ddp) >= 0.5);  // contention: half of what is hidden is paid anyway
}

TEST_CASE("DataParallel is slower than DDP on the same GPUs") {
  const StepReport dp = estimate(data_parallel(bert_large(), dgx_a100(4), Engine::dp, 0, 512, 16, 64));
  const StepReport ddp = estimate(data_parallel(bert_large(), dgx_a100(4), Engine::ddp, 0, 512, 16, 64));
  CHECK(dp.seconds > ddp.seconds);
  CHECK(part(dp, Part::data_parallel) > part(ddp, Part::data_parallel));
}

TEST_CASE("Full recompute costs a third of the layers' products and at most a third of the step") {
  // Handbook: "+30 % time".
  Scenario s = megatron(llama2_7b(), dgx_a100(8), 1, 1, 4096, 1, 64);
  const StepReport without = estimate(s);
  s.training.recompute = Recompute::full;
  const StepReport with = estimate(s);
  const double more = with.seconds / without.seconds - 1;
  CHECK(more > 0.24);
  CHECK(more < 0.34);
  CHECK(part(with, Part::recompute) > 0);
}

TEST_CASE("Mixtures and hosts that cannot keep up widen the range") {
  const StepReport dense = estimate(megatron(llama2_70b(), dgx_h100(64), 8, 1, 4096, 2, 64));
  const StepReport mixture = estimate(megatron(mixtral_8x7b(), dgx_h100(64), 4, 1, 4096, 16, 256));
  CHECK(dense.high / dense.seconds == Approx(1.14));
  CHECK(mixture.high / mixture.seconds == Approx(1.40));
  const StepReport tiny = estimate(data_parallel(bert_large(), dgx_h100(8), Engine::ddp, 0, 128, 1, 64));
  CHECK(tiny.high / tiny.seconds == Approx(1.60));
}

TEST_CASE("Micro-batches that one step accumulates cost what they take") {
  // The bug of a public calculator: tokens a second that ignore gradient accumulation.
  Scenario s = data_parallel(llama2_7b(), dgx_a100(8), Engine::fsdp2, 3, 4096, 1, 8);
  const StepReport one = estimate(s);
  s.training.global_batch_size = 64;
  const StepReport eight = estimate(s);
  CHECK(eight.seconds / one.seconds > 7);
  CHECK(eight.seconds / one.seconds < 8.5);
  CHECK(eight.tokens_per_second_per_gpu == Approx(one.tokens_per_second_per_gpu).epsilon(0.15));
}

}  // namespace meshgauge
