#include "core/compose/stage_price.hpp"

#include <algorithm>
#include <string_view>

#include "core/compose/pass_price.hpp"

namespace meshgauge {
namespace {

void repeat_last(std::int64_t rank, std::size_t chunks_of_rank, PricedStages& out) {
  for (PricedTransfer& line : out.traffic) {
    if (line.last_stage == rank - 1) line.last_stage = rank;
  }
  out.stages.push_back(out.stages.back());
  for (std::size_t i = 0; i < chunks_of_rank; ++i) out.chunks.push_back(out.chunks[out.chunks.size() - chunks_of_rank]);
}

bool same(const PricedTransfer& a, const PricedTransfer& b) {
  return std::string_view(a.transfer.id) == b.transfer.id && a.transfer.bytes == b.transfer.bytes &&
         a.transfer.count_per_step == b.transfer.count_per_step && a.transfer.group_size == b.transfer.group_size &&
         a.route == b.route && a.exposed == b.exposed && a.seconds == b.seconds;
}

/// Adds a rank's transfers to the report; equal ones of the rank before become one line.
void merge(const std::vector<PricedTransfer>& priced, std::vector<PricedTransfer>& report) {
  for (const PricedTransfer& p : priced) {
    const auto line = std::find_if(report.begin(), report.end(), [&](const PricedTransfer& r) {
      return r.last_stage == p.first_stage - 1 && same(r, p);
    });
    if (line == report.end()) {
      report.push_back(p);
    } else {
      line->last_stage = p.last_stage;
    }
  }
}

}  // namespace

PricedStages price_stages(const Scenario& scenario, const Profile& profile) {
  const CostTable table = cost_table(scenario, profile);
  CollectiveTimes collectives(profile, scenario.cluster);
  PassPricer pricer(profile, collectives);
  pricer.start(scenario, table);
  PricedStages out;
  std::vector<StageShape> of_model, shapes, shapes_before;
  all_chunks(scenario, of_model);
  std::vector<Transfer> traffic;
  RankUpdate update;
  const HidingPasses hiding = hiding_passes(scenario, pricer.passes());
  for (std::int64_t rank = 0; rank < pricer.pipeline().stages; ++rank) {
    std::swap(shapes, shapes_before);
    pricer.chunk_shapes(rank, of_model, shapes);
    if (shapes == shapes_before && pricer.alike(rank - 1, rank)) {
      repeat_last(rank, shapes.size(), out);
      continue;
    }
    StageShape all;
    for (const StageShape& shape : shapes) all += shape;
    price_update(scenario, profile, collectives, rank, all, traffic, update);
    const RankPasses passes = pricer.price(rank, shapes, update.inside, out.chunks);
    const ExposedShares shares = shown_beside(profile, hiding, passes, update);
    const PlacedTransfers shown = placed(update, shares);
    const std::array<double, 3> share{1, shares.forwards, shares.backwards};
    for (PricedTransfer& p : update.transfers) {
      p.exposed = share[static_cast<std::size_t>(beside_which(p.transfer))] * p.exposed;
    }
    out.stages.push_back(whole_rank(passes, update, shown));
    out.chunks.back().forward += shown.seconds[PlacedTransfers::forward];
    out.chunks.back().backward_input += shown.seconds[PlacedTransfers::backward];
    out.agree = out.agree || update.agrees;
    merge(pricer.transfers(), out.traffic);
    merge(update.transfers, out.traffic);
  }
  return out;
}

}  // namespace meshgauge
