#include "core/compose/update_price.hpp"

#include "core/compose/transfer_cost.hpp"

namespace meshgauge {
namespace {

/// What is moved for each micro-batch of an undivided model belongs to its passes, the rest comes after the last.
void place(const Scenario& scenario, const PricedTransfer& p, PricedStage& stage, ChunkTime* chunk) {
  const auto m = static_cast<double>(scenario.micro_batches());
  const bool gathers = p.transfer.when == When::forward_gather;
  if (scenario.parallelism.pipeline == 1 && p.transfer.when != When::step_end && p.transfer.count_per_step >= m) {
    if (chunk != nullptr) (gathers ? chunk->forward : chunk->backward_input) += p.exposed / m;
    return;
  }
  stage.agrees = stage.agrees || p.transfer.group == Group::world;
  const bool of_parameters = p.transfer.when == When::step_end && p.transfer.collective == Collective::all_gather &&
                             part_of(p.transfer) == Part::data_parallel;
  (gathers || of_parameters ? stage.end.gather : stage.end.reduction) += p.exposed;
}

}  // namespace

void price_update(const Scenario& scenario, const Profile& profile, CollectiveTimes& times, std::int64_t rank,
                  const StageShape& shape, std::vector<Transfer>& traffic, RankUpdate& out) {
  data_traffic(scenario, rank, shape, traffic);
  price_transfers(scenario, profile, times, rank, shape.blocks(), LayerCost{}, traffic, out.transfers);
  out.optimizer = optimizer_time(scenario, profile, shape);
  out.inside = {};
  for (const PricedTransfer& p : out.transfers) {
    if (inside_passes(p.transfer)) out.inside += p.exposed;
  }
}

PricedStage whole_rank(const Scenario& scenario, const Profile& profile, const RankPasses& rank, double passes,
                       RankUpdate& update, ChunkTime* chunk) {
  PricedStage stage;
  stage.time = rank.time;
  stage.parts = rank.parts;
  stage.waiting_for_host = rank.waiting_for_host;
  const double windows = passes / static_cast<double>(scenario.micro_batches());
  expose_data_parallel(scenario, profile,
                       {.forward = windows * rank.time.forward,
                        .backward = windows * (rank.time.backward_input + rank.time.backward_weight)},
                       update.transfers);
  stage.parts[static_cast<std::size_t>(Part::optimizer)] = update.optimizer;
  stage.end.reduction = rank.after;
  stage.end.optimizer = update.optimizer;
  for (const PricedTransfer& p : update.transfers) {
    stage.parts[static_cast<std::size_t>(part_of(p.transfer))] += p.exposed;
    if (!inside_passes(p.transfer)) place(scenario, p, stage, chunk);
  }
  return stage;
}

}  // namespace meshgauge
