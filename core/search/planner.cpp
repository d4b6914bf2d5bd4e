#include "core/search/planner.hpp"

#include <algorithm>

namespace meshgauge {
struct Planner::Part {
  Part(const LayoutQuestion& question, const Profile& profile, EngineSpace engine_space)
      : space(std::move(engine_space)), evaluator(question.request, profile, space.stages) {}

  EngineSpace space;
  Evaluator evaluator;
  std::vector<RecomputeChoice> recompute;
};

Planner::Planner(LayoutQuestion question, Profile profile)
    : question_(std::move(question)), profile_(std::move(profile)) {
  std::int64_t index = 0;
  for (EngineSpace& space : engine_spaces(question_, exclusions_, issues_)) {
    for (std::size_t grid = 0; grid < space.grids.size(); ++grid) {
      if (index++ % question_.shard.count == question_.shard.index) branches_.push_back({parts_.size(), grid, 0});
    }
    parts_.push_back(std::make_unique<Part>(question_, profile_, std::move(space)));
  }
  counts_.grids = static_cast<std::int64_t>(branches_.size());
}

Planner::~Planner() = default;

/// Ranked by memory nothing is known before it is counted: no byte is a bound that always holds.
void Planner::bound(Branch& branch) {
  Part& part = *parts_[branch.part];
  const Grid& grid = part.space.grids[branch.grid];
  part.evaluator.set_grid(grid, 1);
  part.evaluator.set_recompute({}, 0);
  branch.bound = value_of(question_.goal, grid, {.seconds = part.evaluator.least_seconds()});
}

bool Planner::can_improve(double bound) const {
  if (question_.evaluate_all || question_.goal == Goal::memory) return true;
  if (question_.no_worse_than > 0 && bound > question_.no_worse_than) return false;
  if (best_.size() < pool_size(question_)) return true;
  return bound <= best_.back().value || bound <= frontier_reach * best_.front().value;
}

bool Planner::advance(std::int64_t layouts) {
  const std::int64_t until = counts_.evaluated + layouts;
  std::int64_t spent = counts_.evaluated;
  constexpr std::int64_t bounds_for_a_layout = 4;  // about what one costs
  for (; with_bound_ < branches_.size() && spent < until; ++with_bound_, spent += bounds_for_a_layout) {
    bound(branches_[with_bound_]);
  }
  if (with_bound_ < branches_.size()) return false;
  if (!sorted_) {
    std::stable_sort(branches_.begin(), branches_.end(),
                     [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
    sorted_ = true;
  }
  while (next_ < branches_.size() && counts_.evaluated < until) {
    if (!can_improve(branches_[next_].bound)) {  // nor can any of those behind it
      counts_.bounded = static_cast<std::int64_t>(branches_.size() - next_);
      next_ = branches_.size();
      break;
    }
    search(branches_[next_++]);
  }
  return next_ >= branches_.size();
}

double Planner::progress() const {
  if (branches_.empty()) return 1;
  const auto all = static_cast<double>(branches_.size());
  return 0.1 * static_cast<double>(with_bound_) / all + 0.9 * static_cast<double>(next_) / all;
}

void Planner::search(const Branch& branch) {
  Part& part = *parts_[branch.part];
  Candidate candidate{.engine = part.space.engine, .grid = part.space.grids[branch.grid]};
  Candidate best;
  const Scenario& s = part.evaluator.scenario(0);
  part.recompute = recompute_choices(question_, part.space.stages.front(), candidate.grid.pipeline);
  part.evaluator.set_grid(candidate.grid, part.recompute.size());
  for (const ScheduleChoice& schedule : schedule_choices(question_, s)) {
    candidate.schedule = schedule;
    part.evaluator.set_recompute(part.recompute.front(), 0);
    if (!part.evaluator.set_schedule(schedule) || !exclusions_.keeps(Dimension::schedule, s)) continue;
    search_schedule(part, candidate, best);
  }
  if (best.fits) keep(best);
}

void Planner::search_schedule(Part& part, Candidate& candidate, Candidate& best) {
  const Scenario& s = part.evaluator.scenario(0);
  const Parallelism& p = s.parallelism;
  const Bytes capacity = s.cluster.gpu.memory;
  // A single rank has nothing to shard: all stages are the first.
  const bool shards = p.data * p.context > 1 || p.expert_data() > 1;
  const std::size_t stages = shards ? part.evaluator.stage_count() : 1;
  for (std::size_t i = 0; i < part.recompute.size(); ++i) {
    part.evaluator.set_recompute(part.recompute[i], i);
    if (!exclusions_.keeps(Dimension::recompute, s)) continue;
    candidate.recompute = part.recompute[i];
    for (std::size_t stage = 0; stage < stages; ++stage) {
      candidate.cost = part.evaluator.evaluate(stage);
      candidate.zero_stage = part.evaluator.scenario(stage).parallelism.zero_stage;
      candidate.fits = candidate.cost.memory <= capacity;
      candidate.value = value_of(question_.goal, candidate.grid, candidate.cost);
      ++counts_.evaluated;
      counts_.fit += candidate.fits ? 1 : 0;
      const bool on_frontier = frontier_.takes(candidate.cost);
      const bool leads = candidate.fits && (!best.fits || better(candidate, best));
      if (!on_frontier && !leads) continue;
      Candidate found = candidate;
      found.stage_layers = p.stage_layers;
      if (leads) best = found;
      if (on_frontier) frontier_.add(std::move(found));
    }
  }
}

void Planner::keep(const Candidate& candidate) {
  if (question_.no_worse_than > 0 && candidate.value > question_.no_worse_than) return;
  const auto place = std::upper_bound(best_.begin(), best_.end(), candidate, better);
  best_.insert(place, candidate);
  cut_to_pool(question_, best_);
}

Found Planner::found() const {
  return {.best = best_, .frontier = frontier_.list(), .counts = counts_, .issues = issues_};
}

}  // namespace meshgauge
