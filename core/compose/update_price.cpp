#include "core/compose/update_price.hpp"

namespace meshgauge {
namespace {

/// What is moved for each micro-batch of an undivided model belongs to its passes, the rest comes after the last.
void place(const Scenario& scenario, const PricedTransfer& p, PlacedTransfers& out) {
  out.parts[static_cast<std::size_t>(part_of(p.transfer))] += p.exposed;
  if (inside_passes(p.transfer)) return;
  const auto m = static_cast<double>(scenario.micro_batches());
  const bool gathers = p.transfer.when == When::forward_gather;
  if (scenario.parallelism.pipeline == 1 && p.transfer.when != When::step_end && p.transfer.count_per_step >= m) {
    (gathers ? out.forward : out.backward) += p.exposed / m;
    return;
  }
  const bool of_parameters = p.transfer.when == When::step_end && p.transfer.collective == Collective::all_gather &&
                             part_of(p.transfer) == Part::data_parallel;
  (gathers || of_parameters ? out.gather : out.reduction) += p.exposed;
}

std::array<double, 3> by_what(const ExposedShares& shares) { return {1, shares.forwards, shares.backwards}; }

}  // namespace

void price_update(const Scenario& scenario, const Profile& profile, CollectiveTimes& times, std::int64_t rank,
                  const StageShape& shape, std::vector<Transfer>& traffic, RankUpdate& out) {
  data_traffic(scenario, rank, shape, traffic);
  price_transfers(scenario, profile, times, rank, shape.blocks(), LayerCost{}, traffic, out.transfers);
  out.optimizer = optimizer_time(scenario, profile, shape);
  out.inside = {};
  out.placed = {};
  out.beside_forwards = out.beside_backwards = {};
  out.agrees = false;
  for (const PricedTransfer& p : out.transfers) {
    const Beside beside = beside_which(p.transfer);
    if (beside != Beside::nothing) (beside == Beside::forwards ? out.beside_forwards : out.beside_backwards).add(p);
    place(scenario, p, out.placed[static_cast<std::size_t>(beside)]);
    if (inside_passes(p.transfer)) out.inside += p.exposed;
    out.agrees = out.agrees || p.transfer.group == Group::world;
  }
}

ExposedShares shown_beside(const Scenario& scenario, const Profile& profile, const RankPasses& rank, double passes,
                           const RankUpdate& update) {
  const double windows = passes / static_cast<double>(scenario.micro_batches());
  return exposed_shares(scenario, profile,
                        {.forward = windows * rank.time.forward,
                         .backward = windows * (rank.time.backward_input + rank.time.backward_weight)},
                        update.beside_forwards, update.beside_backwards);
}

PricedStage whole_rank(const RankPasses& rank, const RankUpdate& update, const ExposedShares& shares) {
  PricedStage stage;
  stage.time = rank.time;
  stage.parts = rank.parts;
  stage.waiting_for_host = rank.waiting_for_host;
  stage.parts[static_cast<std::size_t>(Part::optimizer)] = update.optimizer;
  stage.end.reduction = rank.after;
  stage.end.optimizer = update.optimizer;
  const std::array<double, 3> share = by_what(shares);
  for (std::size_t i = 0; i < share.size(); ++i) {
    const PlacedTransfers& placed = update.placed[i];
    for (std::size_t p = 0; p < part_count; ++p) stage.parts[p] += share[i] * placed.parts[p];
    stage.end.reduction += share[i] * placed.reduction;
    stage.end.gather += share[i] * placed.gather;
  }
  return stage;
}

void show(const ExposedShares& shares, RankUpdate& update, ChunkTime& chunk) {
  const std::array<double, 3> share = by_what(shares);
  for (PricedTransfer& p : update.transfers) {
    p.exposed = share[static_cast<std::size_t>(beside_which(p.transfer))] * p.exposed;
  }
  for (std::size_t i = 0; i < share.size(); ++i) {
    chunk.forward += share[i] * update.placed[i].forward;
    chunk.backward_input += share[i] * update.placed[i].backward;
  }
}

}  // namespace meshgauge
