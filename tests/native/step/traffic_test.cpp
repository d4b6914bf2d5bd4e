// What a step sends, call by call, against the core's traffic lines.
//
// The core counts a tensor's own bytes. A collective that gives each rank an equal part needs a length that is a
// multiple of the ranks: what rounding up adds follows from the line alone and is added to it here.
#include "core/count/traffic.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "tests/native/step/ranks.hpp"

namespace meshgauge::testing {
namespace {

using step::Job;

/// Calls of a step by what they are, how many ranks take part and how many bytes they carry.
using Calls = std::map<std::tuple<std::string_view, std::int64_t, double>, double>;

double bytes_sent(const Transfer& t) {
  if (t.collective != Collective::all_gather && t.collective != Collective::reduce_scatter) return t.bytes;
  const auto d = static_cast<double>(t.group_size);
  return std::ceil(t.bytes / bytes_of(t.dtype) / d) * d * bytes_of(t.dtype);
}

Calls counted(const Scenario& scenario) {
  Calls calls;
  for (const Transfer& t : stage_traffic(scenario, 0)) {
    INFO(t.id);
    CHECK(t.messages == 1);  // these models fit into one bucket
    calls[{name_of(t.collective), t.group_size, bytes_sent(t)}] += t.count_per_step;
  }
  return calls;
}

template <class F>
Calls sent(const TestJob<F>& trained) {
  Calls calls;
  for (const harness::Communicator* group : trained.groups()) {
    for (const harness::Sent& call : group->sent()) {
      calls[{name_of(call.collective), call.group_size, static_cast<double>(call.bytes)}] += 1;
    }
  }
  return calls;
}

void compare_traffic(const Job& job) {
  step::with_formats(job, [&]<class F>() {
    TestJob<F> trained(job);
    static_cast<void>(trained.step(StepBatches(job, 1).mine));
    for (harness::Communicator* group : trained.groups()) group->forget_sent();
    static_cast<void>(trained.step(StepBatches(job, 2).mine));
    CHECK(sent(trained) == counted(trained.scenario()));
  });
}

Job traffic_job(const ModelShape& model, StrategyKind strategy, std::int64_t accumulation) {
  Job job;
  job.model = model;
  job.strategy = strategy;
  job.ranks = ranks();
  job.sequence = 8;
  job.accumulation = accumulation;
  return job;
}

constexpr std::array all_strategies{StrategyKind::ddp, StrategyKind::zero1, StrategyKind::zero2, StrategyKind::zero3};

TEST_CASE("A step sends what the core's traffic lines say, call by call and byte by byte") {
  ModelShape untied = small_gpt(3, 21, 3, 128);
  untied.tie_embeddings = false;
  // 35 and 21 are hidden sizes whose parameters no number of ranks divides.
  for (const ModelShape& model : {small_gpt(2, 35, 5, 128), untied, small_llama(4, 24, 52, 6, 2, 128)}) {
    for (const StrategyKind strategy : all_strategies) {
      for (const std::int64_t accumulation : {1, 3}) {
        INFO(model.id << ", " << model.layers << " layers, " << name_of(strategy) << ", " << accumulation);
        compare_traffic(traffic_job(model, strategy, accumulation));
      }
    }
  }
}

TEST_CASE("A step sends no more when layers are rebuilt") {
  for (const StrategyKind strategy : all_strategies) {
    Job job = traffic_job(small_llama(4, 24, 52, 6, 2, 128), strategy, 2);
    job.recompute = true;
    compare_traffic(job);
  }
}

TEST_CASE("A step in bf16, pure or mixed, sends what the core says") {
  for (const Precision precision : {Precision::pure_bf16, Precision::bf16}) {
    for (const StrategyKind strategy : all_strategies) {
      Job job = traffic_job(small_gpt(2, 35, 5, 128), strategy, 2);
      job.precision = precision;
      INFO(name_of(precision) << " under " << name_of(strategy));
      compare_traffic(job);
    }
  }
}

TEST_CASE("Tensor-parallel ranks send what the core's traffic lines say, call by call and byte by byte") {
  if (ranks() % 2 != 0) return;
  ModelShape untied = small_gpt(3, 24, 4, 256);
  untied.tie_embeddings = false;
  for (const ModelShape& model : {small_gpt(2, 40, 4, 256), untied, small_llama(4, 24, 52, 6, 2, 256)}) {
    for (const StrategyKind strategy : all_strategies) {
      for (const bool sequence_parallel : {true, false}) {
        Job job = traffic_job(model, strategy, 2);
        job.tensor = 2;
        job.sequence_parallel = sequence_parallel;
        for (const bool recompute : {true, false}) {
          job.recompute = recompute;
          job.precision = recompute ? Precision::fp32 : Precision::bf16;
          INFO(model.id << ", " << model.layers << " layers, " << name_of(strategy)
                        << (sequence_parallel ? ", sequence parallel" : "") << (recompute ? ", rebuilt" : ""));
          compare_traffic(job);
        }
      }
    }
  }
}

TEST_CASE("Several buckets carry the bytes of the core's line") {
  for (const StrategyKind strategy : {StrategyKind::ddp, StrategyKind::zero2}) {
    Job job = traffic_job(small_gpt(2, 240, 4, 512), strategy, 2);  // over 1 MiB: two of ddp's buckets
    job.reduce_bucket = 300'000;
    INFO(name_of(strategy));
    TestJob<> trained(job);
    harness::Communicator& group = **trained.groups().begin();
    group.forget_sent();
    static_cast<void>(trained.step(StepBatches(job, 2).mine));
    std::size_t calls = 0;
    double bytes = 0;
    for (const harness::Sent& call : group.sent()) {
      if (call.collective != Collective::all_reduce || call.bytes == 4) continue;  // loss and norm
      ++calls;
      bytes += static_cast<double>(call.bytes);
    }
    double line = 0;
    for (const Transfer& t : stage_traffic(trained.scenario(), 0)) {
      if (t.id == std::string_view("dp_gradients")) line += t.count_per_step * t.bytes;
    }
    CHECK(bytes == line);
    CHECK(calls >= 2);
  }
}

}  // namespace
}  // namespace meshgauge::testing
