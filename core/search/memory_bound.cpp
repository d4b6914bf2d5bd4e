// Lines of states are proportional to what a rank holds, and the ranks of a pipeline together hold the whole model at
// least, however it is split and whatever is recomputed. The fullest rank holds at least the mean of the ranks, in each
// phase that all of them go through. What lies outside the tensors does not become less with them.
#include "core/search/memory_bound.hpp"

#include <algorithm>

#include "core/count/memory.hpp"

namespace meshgauge {

MemoryBound::MemoryBound(const Profile& profile, std::span<const Scenario> stages)
    : profile_(profile), stages_(stages.begin(), stages.end()) {
  for (Scenario& s : stages_) {
    set_recompute({}, s);
    s.parallelism.schedule = Schedule::one_f_one_b;  // others keep no fewer versions of the weights
    s.parallelism.virtual_pipeline = 1;
    s.parallelism.stage_layers.clear();
  }
}

Bytes MemoryBound::at(const Scenario& s) const {
  const MemoryContext whole = memory_context(s, 0, whole_model(s.model));
  PhaseTotals states;
  count_states_alone(whole, states);
  constexpr double rounding = 64;  // half a byte for each line
  PhaseTotals held;
  for (std::size_t i = 0; i < phase_count; ++i) {
    if (static_cast<Phase>(i) == Phase::loss) continue;  // of the last rank alone
    const double mean = (states.totals[i].value - rounding) / static_cast<double>(s.parallelism.pipeline);
    held.totals[i] = {std::max(0.0, mean)};
  }
  const PhaseTotals tensors = held;
  count_outside_tensors(whole, profile_.overhead, tensors, held);
  held.totals[static_cast<std::size_t>(Phase::loss)] = {};
  return held.peak() - Bytes{rounding};
}

Bytes MemoryBound::operator()(const Grid& grid) {
  Grid key = grid;
  key.sequence_parallel = false;  // no matter for states
  const Scenario& any = stages_.front();
  const bool accumulates = any.training.global_batch_size > std::int64_t{grid.micro_batch} * grid.data;
  key.micro_batch = accumulates ? 1 : 0;  // and only this does of the micro-batch
  const auto [place, is_new] = known_.try_emplace(key);
  if (!is_new) return place->second;
  Bytes& least = place->second;
  for (Scenario& s : stages_) {
    set_grid(grid, s);
    const Bytes bytes = at(s);
    least = &s == &stages_.front() ? bytes : min(least, bytes);
  }
  return least;
}

}  // namespace meshgauge
