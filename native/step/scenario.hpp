// The scenario of the core that a training step is an instance of: what is predicted is what runs.
#pragma once

#include "core/resolve/resolve.hpp"
#include "native/step/strategy.hpp"
#include "native/step/trainer.hpp"

namespace meshgauge::step {

/// What a user asks for.
struct Job {
  ModelShape model;
  StrategyKind strategy = StrategyKind::ddp;
  std::int64_t ranks = 1, sequence = 0, micro_batch = 1, accumulation = 1;
  std::int64_t tensor = 1;        ///< of the ranks: those that share a replica
  bool sequence_parallel = true;  ///< where there are several of them
  bool recompute = false;
  Precision precision = Precision::fp32;  ///< or bf16: mixed as the engine does it, or pure_bf16
  std::int64_t reduce_bucket = 0;         ///< zero2, elements; 0: DeepSpeed's, but no more than the model has
  Kernels kernels = Kernels::fused;

  [[nodiscard]] std::int64_t replicas() const { return ranks / tensor; }
};

/// The engine that the strategy imitates, in the core's words. With tensor parallelism ddp is Megatron-LM's.
[[nodiscard]] Engine engine_of(StrategyKind, std::int64_t tensor = 1);
/// Why the model cannot be cut over so many ranks here; nothing if it can.
[[nodiscard]] std::optional<std::string> uncut(const Job&);

/// The job on a cluster, every field filled in, or what the core has against it.
[[nodiscard]] Result<Resolution> scenario_of(const Job&, const Cluster&);
/// CPU ranks: enough to count bytes; rates only with a profile.
[[nodiscard]] Cluster cpu_cluster(std::int64_t ranks, std::int64_t ranks_per_node, double memory_bytes);

/// Of the rank at this place of its tensor-parallel group.
[[nodiscard]] Setup setup_of(const Job&, const Scenario&, std::int64_t tensor_rank = 0);

/// Calls `visit` with the number formats that the engine has at the job's precision.
template <class Visit>
auto with_formats(const Job& job, Visit visit) {
  if (job.precision == Precision::fp32) return visit.template operator()<Whole<float>>();
  if (job.precision == Precision::pure_bf16) return visit.template operator()<Whole<Bfloat16>>();
  switch (engine_of(job.strategy, job.tensor)) {
    case Engine::megatron:
      return visit.template operator()<WithMainGradients>();
    case Engine::deepspeed:
      return visit.template operator()<WithMasters>();
    case Engine::fsdp1:
      return visit.template operator()<GatheredHalf>();
    default:
      return visit.template operator()<Autocast>();
  }
}

}  // namespace meshgauge::step
