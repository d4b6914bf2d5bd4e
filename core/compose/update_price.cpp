#include "core/compose/update_price.hpp"

namespace meshgauge {
namespace {

/// What is moved for each micro-batch of an undivided model belongs to its passes, the rest comes after the last.
void place(const Scenario& scenario, const PricedTransfer& p, PlacedTransfers& out) {
  const Transfer& t = p.transfer;
  const Part part = part_of(t);
  out.seconds[static_cast<std::size_t>(part)] += p.exposed;
  if (inside_passes(t)) return;
  const auto m = static_cast<double>(scenario.micro_batches());
  const bool ends = t.when == When::step_end, gathers = t.when == When::forward_gather;
  if (scenario.parallelism.pipeline == 1 && !ends && t.count_per_step >= m) {
    out.seconds[gathers ? PlacedTransfers::forward : PlacedTransfers::backward] += p.exposed / m;
    return;
  }
  const bool of_parameters = ends && t.collective == Collective::all_gather && part == Part::data_parallel;
  out.seconds[gathers || of_parameters ? PlacedTransfers::gather : PlacedTransfers::reduction] += p.exposed;
}

}  // namespace

void price_update(const Scenario& scenario, const Profile& profile, CollectiveTimes& times, std::int64_t rank,
                  const StageShape& shape, std::vector<Transfer>& traffic, RankUpdate& out) {
  data_traffic(scenario, rank, shape, traffic);
  price_transfers(scenario, profile, times, rank, shape.blocks(), LayerCost{}, traffic, out.transfers);
  out.optimizer = optimizer_time(scenario, profile, shape);
  out.inside = {};
  out.placed = {};
  out.hidden = {};
  out.agrees = false;
  for (const PricedTransfer& p : out.transfers) {
    const Beside::Which beside = beside_which(p.transfer);
    out.hidden[beside].add(p);
    place(scenario, p, out.placed[beside]);
    if (inside_passes(p.transfer)) out.inside += p.exposed;
    out.agrees = out.agrees || p.transfer.group == Group::world;
  }
}

ExposedShares shown_beside(const Profile& profile, const HidingPasses& hiding, const RankPasses& rank,
                           const RankUpdate& update) {
  return exposed_shares(profile, hiding.by_units,
                        {.forward = hiding.forwards * rank.time.forward,
                         .backward = hiding.backwards * (rank.time.backward_input + rank.time.backward_weight)},
                        update.hidden[Beside::forwards], update.hidden[Beside::backwards]);
}

PlacedTransfers placed(const RankUpdate& update, const ExposedShares& shares) {
  const PlacedTransfers &forwards = update.placed[Beside::forwards], &backwards = update.placed[Beside::backwards];
  PlacedTransfers sum = update.placed[Beside::nothing];
  for (std::size_t p = 0; p < sum.seconds.size(); ++p) {
    sum.seconds[p] += shares.forwards * forwards.seconds[p] + shares.backwards * backwards.seconds[p];
  }
  return sum;
}

PricedStage whole_rank(const RankPasses& rank, const RankUpdate& update, const PlacedTransfers& placed) {
  PricedStage stage;
  stage.time = rank.time;
  stage.parts = rank.parts;
  stage.waiting_for_host = rank.waiting_for_host;
  stage.parts[static_cast<std::size_t>(Part::optimizer)] = update.optimizer;
  for (std::size_t p = 0; p < part_count; ++p) stage.parts[p] += placed.seconds[p];
  stage.end = {.reduction = rank.after + placed.seconds[PlacedTransfers::reduction],
               .optimizer = update.optimizer,
               .gather = placed.seconds[PlacedTransfers::gather]};
  return stage;
}

}  // namespace meshgauge
