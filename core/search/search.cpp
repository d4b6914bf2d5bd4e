#include "core/search/search.hpp"

#include "core/resolve/resolve.hpp"
#include "core/search/planner.hpp"

namespace meshgauge {

Found search(const LayoutQuestion& question, const Profile& profile) {
  Planner planner(question, profile);
  while (!planner.advance(1 << 20)) {
  }
  return planner.found();
}

Candidate candidate_of(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  Candidate c;
  c.engine = s.training.engine;
  c.zero_stage = p.zero_stage;
  c.grid = grid_of(s);
  c.schedule = {p.schedule, static_cast<std::int32_t>(p.virtual_pipeline), !p.stage_layers.empty()};
  c.recompute = recompute_of(s);
  c.stage_layers = p.stage_layers;
  return c;
}

Scenario scenario_of(const ScenarioRequest& asked, const Candidate& candidate) {
  ScenarioRequest request = asked;
  ParallelismRequest& p = request.parallelism;
  const Grid& grid = candidate.grid;
  request.cluster.gpus = grid.gpus;
  request.training.engine = candidate.engine;
  request.training.micro_batch_size = grid.micro_batch;
  p.zero_stage = candidate.zero_stage;
  p.tensor = grid.tensor;
  p.context = grid.context;
  p.sequence_parallel = grid.sequence_parallel;
  p.pipeline = grid.pipeline;
  p.data = grid.data;
  p.expert_tensor = grid.expert_tensor;
  p.expert = grid.expert;
  p.schedule = candidate.schedule.schedule;
  p.virtual_pipeline = candidate.schedule.virtual_pipeline;
  p.pipeline_layout.reset();
  if (!candidate.stage_layers.empty()) p.stage_layers = candidate.stage_layers;
  request.training.recompute = RecomputeRequest{.kind = candidate.recompute.kind,
                                                .method = candidate.recompute.method,
                                                .layers = candidate.recompute.layers,
                                                .modules = candidate.recompute.modules};
  return filled_in(request);
}

}  // namespace meshgauge
