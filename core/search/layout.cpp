#include "core/search/layout.hpp"

namespace meshgauge {

void set_grid(const Grid& grid, Scenario& s) {
  s.cluster.gpus = grid.gpus;
  s.parallelism.tensor = grid.tensor;
  s.parallelism.context = grid.context;
  s.parallelism.sequence_parallel = grid.sequence_parallel;
  s.parallelism.pipeline = grid.pipeline;
  s.parallelism.data = grid.data;
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

}  // namespace meshgauge
