#include "native/step/scenario.hpp"

#include <algorithm>

#include "core/count/parameters.hpp"
#include "core/engine/engine.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::step {
namespace {

std::int64_t zero_stage(StrategyKind strategy) { return static_cast<std::int64_t>(strategy); }

/// DeepSpeed allocates buckets of 5e8 elements whatever the model's size: no use on a small one.
double reduce_bucket(const Job& job) {
  if (job.reduce_bucket > 0) return static_cast<double>(job.reduce_bucket);
  return std::min(describe_engine(Engine::deepspeed).buffers.bucket_elements, total_parameters(job.model));
}

}  // namespace

Engine engine_of(StrategyKind strategy, std::int64_t tensor) {
  switch (strategy) {
    case StrategyKind::ddp:
      return tensor > 1 ? Engine::megatron : Engine::ddp;
    case StrategyKind::zero1:
      return Engine::megatron;
    case StrategyKind::zero2:
      return Engine::deepspeed;
    case StrategyKind::zero3:
      return Engine::fsdp1;
  }
  return Engine::single;
}

std::optional<std::string> uncut(const Job& job) {
  const ModelShape& m = job.model;
  const std::int64_t t = job.tensor;
  std::string undivided;
  const auto check = [&](std::int64_t n, std::string_view what) {
    if (n % t != 0) undivided += (undivided.empty() ? "" : ", ") + number_text(n) + ' ' + std::string(what);
  };
  check(job.ranks, job.ranks == 1 ? "rank" : "ranks");
  check(m.heads, "attention heads");
  check(m.kv_heads, "key-value heads");
  check(m.ffn, "of the MLP's width");
  // Megatron-LM pads the vocabulary, the others do not.
  if (!has_megatron_layers(engine_of(job.strategy, t))) check(m.vocab, "entries of the vocabulary");
  if (job.sequence_parallel) check(job.sequence, "tokens of a sequence (or --no-sequence-parallel)");
  if (undivided.empty()) return std::nullopt;
  return number_text(t) + " does not divide " + undivided;
}

Result<Resolution> scenario_of(const Job& job, const Cluster& cluster) {
  // DeepSpeed takes a model that is cut already (deepspeed.initialize, mpu), and so does FSDP1
  // (torch/distributed/tensor/parallel/fsdp.py): with them the core plans no tensor parallelism, and counts it.
  const Engine engine = engine_of(job.strategy, job.tensor);
  const bool planned = job.tensor == 1 || describe_engine(engine).tensor_parallel;
  const std::int64_t tensor = planned ? job.tensor : 1;
  ScenarioRequest request;
  request.model = job.model;
  request.hardware = cluster;
  request.cluster.gpus = job.replicas() * tensor;
  request.parallelism.tensor = tensor;
  request.parallelism.data = job.replicas();
  request.parallelism.sequence_parallel = tensor > 1 && job.sequence_parallel;
  request.parallelism.zero_stage = zero_stage(job.strategy);
  TrainingRequest& t = request.training;
  t.engine = engine;
  t.precision = job.precision;
  t.sequence_length = job.sequence;
  t.micro_batch_size = job.micro_batch;
  t.global_batch_size = job.micro_batch * job.replicas() * job.accumulation;
  if (job.recompute) t.recompute.emplace().kind = Recompute::full;
  t.kernels = job.kernels;
  t.fused_norm = true;
  // Megatron copies FlashAttention's output to its own order of tokens; ours is in that of the rest, as cuDNN's is.
  t.attention = engine == Engine::megatron ? Attention::cudnn : Attention::flash;
  t.loss = Loss::fused;
  t.dropout = false;
  t.gradient_accumulation_fusion = false;  // it would bring Transformer Engine's scratch
  if (engine == Engine::megatron) t.overlap_gradient_reduction = true;
  if (job.strategy == StrategyKind::zero2) {
    t.overlap_gradient_reduction = true;
    t.reduce_bucket_size = reduce_bucket(job);
  }
  Result<Resolution> resolution = resolve(request);
  if (planned || !resolution.ok()) return resolution;
  Scenario& s = resolution.value->scenario;
  s.cluster.gpus = job.ranks;
  s.parallelism.tensor = job.tensor;
  s.parallelism.sequence_parallel = job.sequence_parallel;
  return resolution;
}

Cluster cpu_cluster(std::int64_t ranks, std::int64_t ranks_per_node, double memory_bytes) {
  Cluster cluster = cpu_ranks();
  cluster.gpu.memory = {memory_bytes};
  cluster.gpus = ranks;
  cluster.gpus_per_node = ranks_per_node;
  return cluster;
}

Setup setup_of(const Job& job, const Scenario& scenario, std::int64_t tensor_rank) {
  const TensorRank tensor{.ranks = static_cast<std::size_t>(job.tensor),
                          .rank = static_cast<std::size_t>(tensor_rank),
                          .cuts_sequence = scenario.parallelism.sequence_parallel};
  Setup setup;
  setup.shape = shape_of(job.model, static_cast<std::size_t>(scenario.padded_vocab()),
                         static_cast<std::size_t>(job.sequence), static_cast<std::size_t>(job.micro_batch), tensor);
  setup.megatron = scenario.training.engine == Engine::megatron;
  setup.strategy = job.strategy;
  setup.recompute = job.recompute;
  if (job.strategy == StrategyKind::zero2) {
    setup.reduce_bucket = static_cast<std::size_t>(scenario.training.zero_buffers.reduce_bucket);
  }
  return setup;
}

}  // namespace meshgauge::step
