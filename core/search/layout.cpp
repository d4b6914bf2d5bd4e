#include "core/search/layout.hpp"

namespace meshgauge {
namespace {

std::int32_t small(std::int64_t n) { return static_cast<std::int32_t>(n); }

}  // namespace

void set_grid(const Grid& grid, Scenario& s) {
  s.cluster.gpus = grid.gpus;
  s.parallelism.tensor = grid.tensor;
  s.parallelism.context = grid.context;
  s.parallelism.sequence_parallel = grid.sequence_parallel;
  s.parallelism.pipeline = grid.pipeline;
  s.parallelism.data = grid.data;
  s.parallelism.replicas = grid.replicas;
  s.parallelism.expert_tensor = grid.expert_tensor;
  s.parallelism.expert = grid.expert;
  s.training.micro_batch_size = grid.micro_batch;
}

void set_recompute(const RecomputeChoice& choice, Scenario& s) {
  s.training.recompute = choice.kind;
  s.training.recompute_method = choice.method;
  s.training.recompute_layers = choice.layers;
  s.training.recompute_modules = choice.modules;
}

Grid grid_of(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  return {.gpus = small(s.cluster.gpus),
          .tensor = small(p.tensor),
          .context = small(p.context),
          .pipeline = small(p.pipeline),
          .data = small(p.data),
          .replicas = small(p.replicas),
          .expert_tensor = small(p.expert_tensor),
          .expert = small(p.expert),
          .micro_batch = small(s.training.micro_batch_size),
          .sequence_parallel = p.sequence_parallel};
}

RecomputeChoice recompute_of(const Scenario& s) {
  const Training& t = s.training;
  return {t.recompute, t.recompute_method, small(t.recompute_layers), t.recompute_modules};
}

}  // namespace meshgauge
