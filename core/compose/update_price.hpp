// What a rank does for data parallelism and its optimizer, and the rank as a whole: passes and update together.
#pragma once

#include <vector>

#include "core/compose/pass_price.hpp"
#include "core/compose/transfer_cost.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// Where the seconds of a rank's data-parallel transfers go: parts of the step, then what follows.
struct PlacedTransfers {
  enum Place : std::size_t {
    reduction = part_count,  ///< after the last backward, as is the gather
    gather,
    backward,  ///< of a micro-batch, as is the forward
    forward,
    places
  };
  std::array<Seconds, places> seconds{};
};

/// Data-parallel transfers of a rank and its optimizer step, whatever its passes take.
struct RankUpdate {
  std::vector<PricedTransfer> transfers;              ///< what is exposed is found beside the passes
  std::array<HiddenTransfers, Beside::count> hidden;  ///< by what they run beside
  std::array<PlacedTransfers, Beside::count> placed;  ///< the same, if all of them show
  Seconds optimizer{};
  Seconds inside{};     ///< exposed inside the forward: DataParallel's outputs on their way to the first device
  bool agrees = false;  ///< it waits for a number of all ranks (the gradient norm) before it updates
};

/// `shape` is what the rank holds, `traffic` working memory.
void price_update(const Scenario&, const Profile&, CollectiveTimes&, std::int64_t rank, const StageShape& shape,
                  std::vector<Transfer>& traffic, RankUpdate&);

/// One pipeline rank over a whole step.
struct PricedStage {
  StageTime time;                           ///< of one micro-batch, transfers included
  std::array<Seconds, part_count> parts{};  ///< of the step; neither bubble nor fixed time
  StageEnd end;                             ///< exposed after the last backward
  Seconds waiting_for_host{};
};

/// What stays exposed of data-parallel transfers beside the passes.
[[nodiscard]] ExposedShares shown_beside(const Profile&, const HidingPasses&, const RankPasses&, const RankUpdate&);
[[nodiscard]] PlacedTransfers placed(const RankUpdate&, const ExposedShares&);

/// The rank's whole, with its transfers as they show.
[[nodiscard]] PricedStage whole_rank(const RankPasses&, const RankUpdate&, const PlacedTransfers&);

}  // namespace meshgauge
