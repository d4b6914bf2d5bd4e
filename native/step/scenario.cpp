#include "native/step/scenario.hpp"

#include <algorithm>

#include "core/count/parameters.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge::step {
namespace {

std::int64_t zero_stage(StrategyKind strategy) { return static_cast<std::int64_t>(strategy); }

/// DeepSpeed allocates buckets of 5e8 elements whatever the model's size: no use on a small one.
double reduce_bucket(const Job& job) {
  if (job.reduce_bucket > 0) return static_cast<double>(job.reduce_bucket);
  return std::min(describe_engine(Engine::deepspeed).buffers.bucket_elements, total_parameters(job.model));
}

}  // namespace

Engine engine_of(StrategyKind strategy) {
  switch (strategy) {
    case StrategyKind::ddp:
      return Engine::ddp;
    case StrategyKind::zero1:
      return Engine::megatron;
    case StrategyKind::zero2:
      return Engine::deepspeed;
    case StrategyKind::zero3:
      return Engine::fsdp1;
  }
  return Engine::single;
}

Result<Resolution> scenario_of(const Job& job, const Cluster& cluster) {
  ScenarioRequest request;
  request.model = job.model;
  request.hardware = cluster;
  request.cluster.gpus = job.ranks;
  request.parallelism.data = job.ranks;
  request.parallelism.zero_stage = zero_stage(job.strategy);
  TrainingRequest& t = request.training;
  t.engine = engine_of(job.strategy);
  t.precision = job.whole_precision ? Precision::fp32 : Precision::pure_bf16;
  t.sequence_length = job.sequence;
  t.micro_batch_size = job.micro_batch;
  t.global_batch_size = job.micro_batch * job.ranks * job.accumulation;
  if (job.recompute) t.recompute.emplace().kind = Recompute::full;
  t.kernels = job.kernels;
  t.fused_norm = true;
  // Megatron copies FlashAttention's output to its own order of tokens; ours is in that of the rest, as cuDNN's is.
  t.attention = job.strategy == StrategyKind::zero1 ? Attention::cudnn : Attention::flash;
  t.loss = Loss::fused;
  t.dropout = false;
  t.gradient_accumulation_fusion = false;  // it would bring Transformer Engine's scratch
  if (job.strategy == StrategyKind::zero1) t.overlap_gradient_reduction = true;
  if (job.strategy == StrategyKind::zero2) {
    t.overlap_gradient_reduction = true;
    t.reduce_bucket_size = reduce_bucket(job);
  }
  return resolve(request);
}

Cluster cpu_cluster(std::int64_t ranks, std::int64_t ranks_per_node, double memory_bytes) {
  Cluster cluster = cpu_ranks();
  cluster.gpu.memory = {memory_bytes};
  cluster.gpus = ranks;
  cluster.gpus_per_node = ranks_per_node;
  return cluster;
}

Setup setup_of(const Job& job, const Scenario& scenario) {
  Setup setup;
  setup.shape = shape_of(job.model, static_cast<std::size_t>(scenario.padded_vocab()),
                         static_cast<std::size_t>(job.sequence), static_cast<std::size_t>(job.micro_batch));
  setup.strategy = job.strategy;
  setup.recompute = job.recompute;
  if (job.strategy == StrategyKind::zero2) {
    setup.reduce_bucket = static_cast<std::size_t>(scenario.training.zero_buffers.reduce_bucket);
  }
  return setup;
}

}  // namespace meshgauge::step
