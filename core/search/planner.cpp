#include "core/search/planner.hpp"

#include <algorithm>

#include "core/search/evaluator.hpp"
#include "core/search/grid_bound.hpp"
#include "core/search/memory_bound.hpp"

namespace meshgauge {
namespace {

// In layouts evaluated.
constexpr std::int64_t work_of_schedule = 10;

}  // namespace

struct Planner::Part {
  Part(const LayoutQuestion& question, const Profile& profile, EngineSpace engine_space)
      : space(std::move(engine_space)),
        bound(question, profile, space.stages.front()),
        memory_bound(profile, space.stages),
        evaluator(question.request, profile, space.stages) {}

  EngineSpace space;
  GridBound bound;
  MemoryBound memory_bound;
  Evaluator evaluator;
  std::vector<RecomputeChoice> recompute;
};

Planner::Planner(LayoutQuestion question, Profile profile)
    : question_(std::move(question)), profile_(std::move(profile)) {
  std::int64_t index = 0;
  for (EngineSpace& space : engine_spaces(question_, profile_, exclusions_, issues_)) {
    for (std::size_t grid = 0; grid < space.grids.size(); ++grid) {
      if (index++ % question_.shard.count == question_.shard.index)
        branches_.push_back({.part = parts_.size(), .grid = grid});
    }
    parts_.push_back(std::make_unique<Part>(question_, profile_, std::move(space)));
  }
  counts_.grids = static_cast<std::int64_t>(branches_.size());
}

Planner::~Planner() = default;

void Planner::resume(Found found, std::int64_t decided) {
  for (const Candidate& c : found.best) keep(c);
  for (Candidate& c : found.frontier) {
    if (frontier_.takes(c.cost)) frontier_.add(std::move(c));
  }
  counts_ = found.counts;
  counts_.grids = static_cast<std::int64_t>(branches_.size());
  has_first_ = decided > 0 || !best_.empty();
  next_ = static_cast<std::size_t>(std::clamp<std::int64_t>(decided, 0, counts_.grids));
}

/// An answer before anything is proven: the best of what a few grids all over the space hold when they save all the
/// memory they can.
void Planner::find_first() {
  constexpr std::size_t most = 256;
  const std::size_t step = branches_.size() / most + 1;
  Candidate best;
  const Branch* of_best = nullptr;
  for (std::size_t i = step / 2; i < branches_.size(); i += step) {
    Candidate candidate;
    if (!try_out(branches_[i], candidate) || (of_best != nullptr && !better(candidate, best))) continue;
    best = std::move(candidate);
    of_best = &branches_[i];
  }
  if (of_best != nullptr) search(*of_best);
  has_first_ = true;
}

bool Planner::try_out(const Branch& branch, Candidate& candidate) {
  constexpr std::int64_t work = 20;
  work_ += work;
  Part& part = *parts_[branch.part];
  candidate = {.engine = part.space.engine, .grid = part.space.grids[branch.grid]};
  part.recompute = recompute_choices(question_, part.space.stages.front(), candidate.grid.pipeline);
  const auto all = std::find_if(part.recompute.begin(), part.recompute.end(),
                                [](const RecomputeChoice& c) { return c.kind == Recompute::full; });
  part.evaluator.set_grid(candidate.grid);
  part.evaluator.set_recompute(all == part.recompute.end() ? part.recompute.front() : *all);
  const Scenario& s = part.evaluator.scenario(0);
  for (const ScheduleChoice& schedule : schedule_choices(question_, s)) {
    if (!part.evaluator.set_schedule(schedule) || !exclusions_.keeps(Dimension::schedule, s)) continue;
    const std::size_t stage = part.evaluator.stage_count() - 1;
    candidate.cost = {.seconds = part.evaluator.seconds(stage), .memory = part.evaluator.memory(stage)};
    candidate.fits = candidate.cost.memory <= s.cluster.gpu.memory;
    candidate.value = value_of(question_.goal, candidate.grid, candidate.cost);
    return candidate.fits;
  }
  return false;
}

void Planner::bound_all() {
  for (Branch& branch : branches_) {
    Part& part = *parts_[branch.part];
    const Grid& grid = part.space.grids[branch.grid];
    branch.least.seconds = part.bound(grid);
    branch.least.memory = part.memory_bound(grid);
    branch.may_fit = branch.least.memory <= part.space.stages.front().cluster.gpu.memory;
    branch.bound = value_of(question_.goal, grid, branch.least);
  }
  std::stable_sort(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
    return a.may_fit != b.may_fit ? a.may_fit : a.bound < b.bound;
  });
  work_ += static_cast<std::int64_t>(branches_.size());
  sorted_ = true;
}

bool Planner::can_improve(double bound) const {
  if (question_.evaluate_all) return true;
  if (question_.no_worse_than > 0 && bound > question_.no_worse_than) return false;
  if (best_.size() < pool_size(question_)) return true;
  return bound <= best_.back().value || bound <= question_.reach * best_.front().value;
}

bool Planner::advance(std::int64_t layouts) {
  const std::int64_t until = work_ + layouts;
  if (!has_first_) {
    find_first();
    if (!best_.empty() && work_ >= until) return false;
  }
  if (!sorted_) bound_all();
  do {
    if (next_ >= branches_.size()) return true;
    const Branch& branch = branches_[next_++];
    if (is_open(branch)) {
      search(branch);
    } else {
      ++counts_.bounded;
    }
  } while (work_ < until);
  return next_ >= branches_.size();
}

bool Planner::is_open(const Branch& branch) const {
  const Candidate least{
      .grid = parts_[branch.part]->space.grids[branch.grid], .cost = branch.least, .fits = branch.may_fit};
  return is_open(least, {});
}

void Planner::search(const Branch& branch) {
  Part& part = *parts_[branch.part];
  Candidate candidate{.engine = part.space.engine, .grid = part.space.grids[branch.grid]};
  Evaluation least = branch.least;
  const Scenario& s = part.evaluator.scenario(0);
  part.recompute = recompute_choices(question_, part.space.stages.front(), candidate.grid.pipeline);
  part.evaluator.set_grid(candidate.grid);
  for (const ScheduleChoice& schedule : schedule_choices(question_, s)) {
    least.seconds = part.bound(candidate.grid, schedule);
    candidate.cost = least;
    candidate.fits = branch.may_fit;
    if (!is_open(candidate, {})) continue;
    candidate.schedule = schedule;
    part.evaluator.set_recompute(part.recompute.front());
    work_ += work_of_schedule;
    if (!part.evaluator.set_schedule(schedule) || !exclusions_.keeps(Dimension::schedule, s)) continue;
    search_schedule(part, least, candidate);
  }
}

void Planner::search_schedule(Part& part, Evaluation least, Candidate& candidate) {
  Candidate best;
  Evaluator& evaluator = part.evaluator;
  const Scenario& s = evaluator.scenario(0);
  const Parallelism& p = s.parallelism;
  const std::size_t stages = evaluator.distinct_stages();
  const bool one = part.recompute.size() == 1;
  const Bytes capacity = s.cluster.gpu.memory;
  for (const RecomputeChoice& choice : part.recompute) {
    if (!one && choice.repeats_all(evaluator.largest_chunk())) continue;
    evaluator.set_recompute(choice);
    if (one && !exclusions_.keeps(Dimension::recompute, s)) continue;
    candidate.recompute = choice;
    if (choice.kind == Recompute::none && evaluator.recompute_only_adds()) {
      least.seconds = max(least.seconds, evaluator.least_seconds());
      candidate.cost = least;
      candidate.fits = least.memory <= capacity;
      if (!is_open(candidate, best)) break;
    }
    for (std::size_t stage = 0; stage < stages; ++stage) {
      candidate.zero_stage = evaluator.scenario(stage).parallelism.zero_stage;
      candidate.cost = {.seconds = least.seconds, .memory = evaluator.memory(stage)};
      candidate.fits = candidate.cost.memory <= capacity;
      ++counts_.evaluated;
      ++work_;
      counts_.fit += candidate.fits ? 1 : 0;
      if (!is_open(candidate, best)) continue;
      candidate.cost.seconds = evaluator.least_seconds(stage);
      if (!is_open(candidate, best)) continue;
      candidate.cost.seconds = evaluator.seconds(stage);
      candidate.value = value_of(question_.goal, candidate.grid, candidate.cost);
      const bool on_frontier = frontier_.takes(candidate.cost);
      const bool leads = candidate.fits && (!best.fits || better(candidate, best));
      if (!on_frontier && !leads) continue;
      Candidate found = candidate;
      found.stage_layers = p.stage_layers;
      if (leads) best = found;
      if (on_frontier) frontier_.add(std::move(found));
    }
  }
  if (best.fits) keep(best);
}

/// Whether a layout that takes at least so long and holds so much may be the best of its grid and among the best of
/// all, or beat all others in time or memory.
bool Planner::is_open(const Candidate& candidate, const Candidate& best) const {
  if (question_.evaluate_all) return true;
  const double value = value_of(question_.goal, candidate.grid, candidate.cost);
  if (!can_improve(value)) return false;
  const bool leads = candidate.fits && (!best.fits || value <= best.value);
  const bool counts = best_.size() < pool_size(question_) || value <= best_.back().value;
  if (leads && counts) return true;
  const Bytes capacity = parts_.front()->space.stages.front().cluster.gpu.memory;
  return (best_.empty() || candidate.cost.memory <= question_.reach * capacity) && frontier_.takes(candidate.cost);
}

/// A grid that was searched first may come again.
void Planner::keep(const Candidate& candidate) {
  const auto same = [&](const Candidate& c) {
    return c.engine == candidate.engine && c.grid == candidate.grid && c.schedule == candidate.schedule;
  };
  const auto [first, last] = std::equal_range(best_.begin(), best_.end(), candidate, better);  // it costs the same
  if (std::any_of(first, last, same)) return;
  if (question_.no_worse_than > 0 && candidate.value > question_.no_worse_than) return;
  best_.insert(last, candidate);
  cut_to_pool(question_, best_);
}

Found Planner::found() const {
  return {.best = best_, .frontier = frontier_.list(), .counts = counts_, .issues = issues_};
}

}  // namespace meshgauge
