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
         " micro-batches on " + std::to_string(job.ranks) + " ranks" +
         (job.tensor == 1         ? ""
          : job.sequence_parallel ? ", tensor and sequence parallel"
                                  : ", tensor parallel") +
         (job.recompute ? ", rebuilt" : "");
}

struct Trained {
  Tensors gradients;
  double loss, gradient_norm;
};

Trained train_once(const Job& job, bool alone, std::span<const step::Batch> batches) {
  return step::with_formats(job, [&]<class F>() {
    TestJob<F> trained(job, alone);
    const auto outcome = trained.step(batches);
    return Trained{std::move(trained.gradients), outcome.loss, outcome.gradient_norm};
  });
}

/// Sums over tokens in another order: fp32 gradients within 1e-5 of each tensor's length and the loss within 1e-6,
/// those of 16-bit products within 2e-2 and 1e-3. One rank trains as DDP does, under autocast where it is mixed.
void compare_with_joined_batch(const Job& job) {
  const bool whole = job.precision == Precision::fp32;
  const double gradient_tolerance = whole ? 1e-5 : 2e-2, loss_tolerance = whole ? 1e-6 : 1e-3;
  INFO(name_of_job(job));
  Job joined = job;
  joined.strategy = StrategyKind::ddp;
  joined.ranks = joined.tensor = joined.accumulation = 1;
  joined.micro_batch = job.replicas() * job.accumulation * job.micro_batch;
  joined.recompute = false;
  const StepBatches batches(job, 3);
  const Trained parallel = train_once(job, false, batches.mine);
  const Trained expected = train_once(joined, true, std::vector{batches.all.batch()});
  CHECK(parallel.loss == Approx(expected.loss).epsilon(loss_tolerance));
  CHECK(parallel.gradient_norm == Approx(expected.gradient_norm).epsilon(gradient_tolerance));
  for (std::size_t i = 0; i < parallel.gradients.size(); ++i) {
    INFO("parameter " << i);
    CHECK(relative_distance(parallel.gradients[i], expected.gradients[i]) <= gradient_tolerance);
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

TEST_CASE("Gradients in bf16, pure and mixed, over ranks are those of one rank with the joined batch") {
  for (const Precision precision : {Precision::pure_bf16, Precision::bf16}) {
    for (const StrategyKind strategy : all_strategies) {
      Job job = job_of(models()[1], strategy, precision == Precision::bf16 ? 2 : 1);
      job.precision = precision;
      compare_with_joined_batch(job);
    }
  }
}

/// Heads, widths, vocabulary and tokens that two ranks share evenly; Megatron-LM pads the vocabulary to 256.
std::vector<ModelShape> models_for_two() {
  ModelShape untied = small_gpt(2, 24, 4, 256);
  untied.tie_embeddings = false;
  return {small_gpt(2, 32, 4, 256), untied, small_llama(3, 24, 52, 6, 2, 256)};
}

/// All ranks to a replica, or two.
std::vector<Job> tensor_parallel_jobs(const ModelShape& model) {
  std::vector<Job> jobs;
  for (const StrategyKind strategy : all_strategies) {
    for (const bool sequence_parallel : {true, false}) {
      Job job = job_of(model, strategy, 2);
      job.tensor = 2;
      job.sequence_parallel = sequence_parallel;
      if (job.replicas() > 1 || strategy == StrategyKind::ddp || strategy == StrategyKind::zero1) jobs.push_back(job);
    }
  }
  return jobs;
}

TEST_CASE("Gradients over tensor-parallel ranks are those of one rank with the joined batch") {
  if (ranks() % 2 != 0) return;
  for (const ModelShape& model : models_for_two()) {
    for (const Job& job : tensor_parallel_jobs(model)) compare_with_joined_batch(job);
  }
  if (ranks() < 4) return;
  for (const bool sequence_parallel : {true, false}) {
    Job job = job_of(small_gpt(2, 32, 4, 512), StrategyKind::ddp, 1);
    job.tensor = 4;
    job.sequence_parallel = sequence_parallel;
    compare_with_joined_batch(job);
  }
}

TEST_CASE("Gradients over tensor-parallel ranks with rebuilt layers are those of one rank with the joined batch") {
  if (ranks() % 2 != 0) return;
  for (Job job : tensor_parallel_jobs(models_for_two()[2])) {
    job.recompute = true;
    compare_with_joined_batch(job);
  }
}

TEST_CASE("Gradients in mixed bf16 over tensor-parallel ranks are those of one rank with the joined batch") {
  if (ranks() % 2 != 0) return;
  for (Job job : tensor_parallel_jobs(models_for_two()[2])) {
    job.precision = Precision::bf16;
    compare_with_joined_batch(job);
  }
}

TEST_CASE("Tensor-parallel ranks have the same norms and biases after each step, replicas the same of all") {
  if (ranks() % 2 != 0) return;
  for (const Job& job : tensor_parallel_jobs(models_for_two()[0])) {
    if (job.strategy == StrategyKind::zero3) continue;  // no rank has a whole parameter
    INFO(name_of_job(job));
    TestJob<> trained(job);
    for (int i = 0; i < 3; ++i) {
      static_cast<void>(trained.step(StepBatches(job, static_cast<std::uint64_t>(i)).mine));
      for (std::size_t place = 0; place < trained.parameters().all.size(); ++place) {
        const step::Parameter& p = trained.parameters().all[place];
        const float* mine = trained.strategy().stored(place);
        std::vector<float> of_all(p.elements * static_cast<std::size_t>(ranks()));
        world().all_gather(mine, of_all.data(), p.elements, ElementType::float32);
        world().wait();
        const auto like = static_cast<std::size_t>(p.cut.whole() ? 0 : world().rank() % job.tensor);
        REQUIRE(std::memcmp(of_all.data() + like * p.elements, mine, p.elements * sizeof(float)) == 0);
      }
    }
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
    const Tensors a = cut.weights(), b = replicated.weights();
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

/// Steps of 16 bits are too coarse to train alike: the loss has to fall as fast, and the stored weights to be copies of
/// fp32 ones that have moved.
TEST_CASE("Mixed precision learns what fp32 learns") {
  for (const StrategyKind strategy : all_strategies) {
    Job job = job_of(models()[1], strategy, 1);
    const auto loss_after = [&](Precision precision) {
      job.precision = precision;
      return step::with_formats(job, [&]<class F>() {
        TestJob<F> trained(job);
        double loss = 0;
        for (int i = 0; i < 12; ++i) loss = trained.step(StepBatches(job, 5).mine).loss;
        return loss;
      });
    };
    INFO(name_of_job(job));
    const double whole = loss_after(Precision::fp32);
    CHECK(whole < std::log(128) - 0.3);  // of a guess
    CHECK(loss_after(Precision::bf16) == Approx(whole).epsilon(0.02));
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
        const float* mine = trained.strategy().stored(place);
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
