// Every rank spends at least its kernels, the gaps between them and what of its transfers nothing hides on each
// micro-batch, one after the other, and the step takes at least as long as the busiest rank and the fixed time: all
// other terms of a stage's time are sums of positive ones, schedules and ends of the step only add waits, and none of
// these becomes less with schedule, ZeRO stage, recompute or split. The busiest rank has at least the mean of the
// ranks, and the ranks together run the whole model once for each micro-batch, however it is split (under DualPipe
// twice, with half of the micro-batches each). The number of ranks divides what a micro-batch takes, and the number of
// micro-batches multiplies it; neither changes it.
#include "core/search/grid_bound.hpp"

#include <algorithm>

#include "core/compose/stage_cost.hpp"
#include "core/compose/transfer_cost.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
/// Sums of up to a thousand terms are each off by less than 2^-53. A step is multiplied by a mean of the ratios of
/// measured runs and of 1, which is at least the least of them.
double bound_factor(const Profile& profile) {
  double least = 1;
  for (const RunPoint& run : profile.measured.runs) least = std::min(least, run.ratio);
  constexpr double rounding = 1 - 1e-12;
  return rounding * least;
}

namespace {

/// Time that some rank spends waiting in a schedule, in units of the mean work of a micro-batch on a rank. GPipe: every
/// rank is crossed by both flows. 1F1B: with T the work of the busiest rank, S that of all and a that of the n after
/// it, the step is m T + before + max(0, a - n F) + max(0, a - n B), which is at least the mean of m T + before and of
/// m T + before + 2 a - n T, hence (m - 1 - n / 2) T + S; with the mean T it is m and (p - 1) / 2 at the least, as n is
/// no more than p - 1, and with fewer micro-batches than ranks more than that. Interleaving divides it by the chunks.
/// The others fill their bubbles with weight gradients.
double least_idle(Schedule schedule, double p, double chunks, double m) {
  switch (schedule) {
    case Schedule::naive:
      return m * (p - 1);
    case Schedule::gpipe:
      return p - 1;
    case Schedule::one_f_one_b:
      return (p - 1) / 2;
    case Schedule::interleaved:
      return (p - 1) / 2 / chunks;
    default:
      return 0;
  }
}

}  // namespace

GridBound::GridBound(const LayoutQuestion& question, const Profile& profile, const Scenario& of_engine)
    : profile_(profile),
      scenario_(of_engine),
      pairs_exchange_(of_engine.training.overlap_expert_parallel),
      factor_(bound_factor(profile)),
      collectives_(profile, of_engine.cluster) {
  set_recompute({}, scenario_);
  scenario_.parallelism.schedule = question.request.parallelism.schedule.value_or(Schedule::one_f_one_b);
  for (std::size_t i = 0; i < all_names<Schedule>().size(); ++i) {
    const auto schedule = static_cast<Schedule>(i);
    if (!offers(question, of_engine.training.engine, schedule)) continue;
    schedules_.push_back(schedule);
    pairs_exchange_ = pairs_exchange_ || schedule == Schedule::dualpipe;
  }
}

std::size_t GridBound::Hash::operator()(const Key& k) const {
  std::uint64_t hash = (k.sequence_parallel ? 1U : 0U) + (k.accumulates ? 2U : 0U);
  for (const std::int32_t n : {k.tensor, k.context, k.expert_tensor, k.expert, k.micro_batch}) {
    hash = (hash ^ static_cast<std::uint32_t>(n)) * 0x100000001b3U;  // FNV-1a, number by number
  }
  return static_cast<std::size_t>(hash ^ hash >> 32U);
}

Seconds GridBound::of_micro_batch() {
  const Scenario& s = scenario_;
  const StageShape all = whole_model(s.model);
  const LayerCost cost = stage_kernels(s, cost_table(s, profile_), all);
  Seconds busy = cost.forward + cost.backward_input + cost.backward_weight + cost.forward_gaps + cost.backward_gaps;
  layer_traffic(s, 0, all, Repeats::without, traffic_);
  price_transfers(s, profile_, collectives_, 0, all.blocks(), cost, traffic_, priced_);
  for (const PricedTransfer& p : priced_) {
    const Transfer& t = p.transfer;
    const bool pairs = pairs_exchange_ && part_of(t) == Part::expert_parallel;
    const bool shows = t.overlap == Overlap::none || part_of(t) == Part::tensor_parallel;
    if (inside_passes(t) && shows && !pairs) busy += p.exposed / static_cast<double>(s.micro_batches());
  }
  return busy;
}

Seconds GridBound::bound(const Grid& grid, double idle) {
  set_grid(grid, scenario_);
  const Key key{grid.tensor,
                grid.context,
                grid.expert_tensor,
                grid.expert,
                grid.micro_batch,
                grid.sequence_parallel,
                accumulates_gradients(scenario_)};
  const auto [place, is_new] = known_.try_emplace(key);
  if (is_new) place->second = of_micro_batch();
  const double work = (static_cast<double>(scenario_.micro_batches()) + idle) / static_cast<double>(grid.pipeline);
  return factor_ * (work * place->second + fixed_time(scenario_, profile_));
}

Seconds GridBound::operator()(const Grid& grid) {
  const auto p = static_cast<double>(grid.pipeline);
  const auto layers = static_cast<double>(scenario_.model.layers + scenario_.model.encoder_layers);
  const double chunks = std::max(1.0, (layers + 2) / p);  // embedding and head may be chunks of their own
  set_grid(grid, scenario_);
  const auto m = static_cast<double>(scenario_.micro_batches());
  double idle = m * p;
  for (const Schedule schedule : schedules_) idle = std::min(idle, least_idle(schedule, p, chunks, m));
  return bound(grid, grid.pipeline > 1 ? idle : 0);
}

Seconds GridBound::operator()(const Grid& grid, const ScheduleChoice& choice) {
  set_grid(grid, scenario_);
  const auto m = static_cast<double>(scenario_.micro_batches());
  const double idle = least_idle(choice.schedule, grid.pipeline, choice.virtual_pipeline, m);
  return bound(grid, grid.pipeline > 1 ? idle : 0);
}

}  // namespace meshgauge
