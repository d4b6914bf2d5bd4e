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
  bool recompute = false;
  bool whole_precision = true;     ///< fp32, else everything in bf16
  std::int64_t reduce_bucket = 0;  ///< zero2, elements; 0: DeepSpeed's, but no more than the model has
  Kernels kernels = Kernels::fused;
};

/// The engine that the strategy imitates, in the core's words.
[[nodiscard]] Engine engine_of(StrategyKind);

/// The job on a cluster, every field filled in, or what the core has against it.
[[nodiscard]] Result<Resolution> scenario_of(const Job&, const Cluster&);
/// CPU ranks: enough to count bytes; rates only with a profile.
[[nodiscard]] Cluster cpu_cluster(std::int64_t ranks, std::int64_t ranks_per_node, double memory_bytes);

[[nodiscard]] Setup setup_of(const Job&, const Scenario&);

}  // namespace meshgauge::step
