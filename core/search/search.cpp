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

const Scenario& LayoutScenarios::operator()(const Candidate& candidate) {
  const auto [place, is_new] =
      filled_in_.try_emplace({candidate.grid.gpus, candidate.engine, candidate.zero_stage}, Scenario{});
  Scenario& s = place->second;
  if (is_new) {
    ScenarioRequest request = request_;
    request.cluster.gpus = candidate.grid.gpus;
    request.training.engine = candidate.engine;
    request.parallelism.zero_stage = candidate.zero_stage;
    s = filled_in(request);
  }
  set_grid(candidate.grid, s);
  set_recompute(candidate.recompute, s);
  s.parallelism.schedule = candidate.schedule.schedule;
  s.parallelism.virtual_pipeline = candidate.schedule.virtual_pipeline;
  s.parallelism.stage_layers = candidate.stage_layers;
  if (candidate.stage_layers.empty() && request_.parallelism.stage_layers) {
    s.parallelism.stage_layers = *request_.parallelism.stage_layers;
  }
  follow_schedule(request_, s);
  return s;
}

Scenario scenario_of(const ScenarioRequest& request, const Candidate& candidate) {
  return LayoutScenarios(request)(candidate);
}

}  // namespace meshgauge
