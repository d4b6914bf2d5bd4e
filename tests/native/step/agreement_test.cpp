// Strategies against one rank that has the whole batch, and against each other.
#include "tests/native/step/ranks.hpp"

namespace meshgauge::testing {
namespace {

using step::Job;

constexpr std::array all_strategies{StrategyKind::ddp, StrategyKind::zero1, StrategyKind::zero2, StrategyKind::zero3};

/// A GPT whose parameters no number of ranks divides, and a LLaMA.
std::vector<ModelShape> models() { return {small_gpt(2, 35, 5, 128), small_llama(3, 24, 52, 6, 2, 128)}; }

Job job_of(const ModelShape& model, StrategyKind strategy, std::int64_t accumulation) {
  Job job;
  job.model = model;
  job.strategy = strategy;
  job.ranks = ranks();
  job.sequence = 12;
  job.micro_batch = 2;
  job.accumulation = accumulation;
  job.reduce_bucket = 4000;  // several buckets, and tensors larger than one
  return job;
}

std::string name_of_job(const Job& job) {
  return job.model.id + " under " + std::string(name_of(job.strategy)) + " with " + std::to_string(job.accumulation) +
         " micro-batches on " + std::to_string(job.ranks) + " ranks" + (job.recompute ? ", rebuilt" : "");
}

/// Sums over tokens in another order: fp32 gradients within 1e-5 of each tensor's length and the loss within 1e-6, bf16
/// gradients within 2e-2.
template <class T = float>
void compare_with_joined_batch(const Job& job) {
  constexpr double gradient_tolerance = sizeof(T) == 4 ? 1e-5 : 2e-2, loss_tolerance = sizeof(T) == 4 ? 1e-6 : 1e-3;
  INFO(name_of_job(job));
  Job joined = job;
  joined.strategy = StrategyKind::ddp;
  joined.ranks = joined.accumulation = 1;
  joined.micro_batch = job.ranks * job.accumulation * job.micro_batch;
  joined.recompute = false;
  const StepBatches batches(job, 3);
  TestJob<T> parallel(job), alone(joined, true);
  const auto outcome = parallel.step(batches.mine);
  const auto expected = alone.step(std::vector{batches.all.batch()});
  CHECK(outcome.loss == Approx(expected.loss).epsilon(loss_tolerance));
  CHECK(outcome.gradient_norm == Approx(expected.gradient_norm).epsilon(gradient_tolerance));
  for (std::size_t i = 0; i < parallel.gradients.size(); ++i) {
    INFO("parameter " << i);
    CHECK(relative_distance(parallel.gradients[i], alone.gradients[i]) <= gradient_tolerance);
  }
}

TEST_CASE("Gradients over ranks are those of one rank with the joined batch") {
  for (const ModelShape& model : models()) {
    for (const StrategyKind strategy : all_strategies) {
      for (const std::int64_t accumulation : {1, 3}) compare_with_joined_batch(job_of(model, strategy, accumulation));
    }
  }
}

TEST_CASE("Gradients over ranks with rebuilt layers are those of one rank with the joined batch") {
  for (const StrategyKind strategy : all_strategies) {
    Job job = job_of(models()[1], strategy, 2);
    job.recompute = true;
    compare_with_joined_batch(job);
  }
}

TEST_CASE("Gradients in bf16 over ranks are those of one rank with the joined batch") {
  for (const StrategyKind strategy : all_strategies) {
    Job job = job_of(models()[1], strategy, 1);
    job.whole_precision = false;
    compare_with_joined_batch<step::Bfloat16>(job);
  }
}

/// Two numbers sum to the same bits in any order; of more, within 1e-6 after one step, 1e-4 after ten.
void compare_strategies(const ModelShape& model, StrategyKind strategy, std::int64_t accumulation) {
  const Job job = job_of(model, strategy, accumulation);
  INFO(name_of_job(job));
  TestJob<> replicated(job_of(model, StrategyKind::ddp, accumulation)), cut(job);
  // Stages 2 and 3 reduce each micro-batch, ddp their sum: another order as soon as there are several.
  const bool same_order = accumulation == 1 || strategy == StrategyKind::zero1;
  for (int i = 0; i < 10; ++i) {
    const StepBatches batches(job, static_cast<std::uint64_t>(10 + i));
    const double loss = replicated.step(batches.mine).loss;
    CHECK(cut.step(batches.mine).loss == Approx(loss).epsilon(1e-5));
    const Tensors<float> a = cut.weights(), b = replicated.weights();
    if (ranks() == 2 && same_order) REQUIRE(equal_bits(a, b));
    // Of all weights together: keys' biases have no gradient but rounding, which Adam scales up to whole steps.
    CHECK(relative_distance(joined(a), joined(b)) <= (i == 0 ? 1e-6 : 1e-4));
    if (i > 0) continue;
    for (std::size_t p = 0; p < a.size(); ++p) {
      INFO("parameter " << p);
      CHECK(relative_distance(cut.gradients[p], replicated.gradients[p]) <= 1e-6);
    }
  }
}

TEST_CASE("ZeRO trains the weights that ddp trains") {
  for (const ModelShape& model : models()) {
    for (const StrategyKind strategy : {StrategyKind::zero1, StrategyKind::zero2, StrategyKind::zero3}) {
      for (const std::int64_t accumulation : {1, 2}) compare_strategies(model, strategy, accumulation);
    }
  }
}

TEST_CASE("All ranks have the same weights after each step") {
  for (const StrategyKind strategy : {StrategyKind::ddp, StrategyKind::zero1, StrategyKind::zero2}) {
    const Job job = job_of(models()[0], strategy, 2);
    INFO(name_of_job(job));
    TestJob<> trained(job);
    for (int i = 0; i < 3; ++i) {
      static_cast<void>(trained.step(StepBatches(job, static_cast<std::uint64_t>(i)).mine));
      for (std::size_t place = 0; place < trained.parameters().all.size(); ++place) {
        const std::size_t n = trained.parameters().all[place].elements;
        const float* mine = trained.strategy().weight(place);
        std::vector<float> of_first(mine, mine + n);
        world().broadcast(of_first.data(), of_first.data(), n, ElementType::float32, 0);
        world().wait();
        REQUIRE(std::memcmp(of_first.data(), mine, n * sizeof(float)) == 0);
      }
    }
  }
}

}  // namespace
}  // namespace meshgauge::testing
