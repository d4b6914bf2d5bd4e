// What a rank does for data parallelism and its optimizer, and the rank as a whole: passes and update together.
#pragma once

#include <vector>

#include "core/compose/pass_price.hpp"
#include "core/compose/transfer_cost.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// Where the seconds of a rank's data-parallel transfers go, if all of them show.
struct PlacedTransfers {
  std::array<Seconds, part_count> parts{};  ///< of the step
  Seconds reduction{}, gather{};            ///< after the last backward
  Seconds forward{}, backward{};            ///< inside the passes of a micro-batch
};

/// Data-parallel transfers of a rank and its optimizer step, whatever its passes take.
struct RankUpdate {
  std::vector<PricedTransfer> transfers;  ///< what is exposed is found beside the passes
  HiddenTransfers beside_forwards, beside_backwards;
  std::array<PlacedTransfers, 3> placed;  ///< by what they run beside
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

/// What stays exposed of data-parallel transfers beside the passes. `passes`: micro-batches that cross each chunk.
[[nodiscard]] ExposedShares shown_beside(const Scenario&, const Profile&, const RankPasses&, double passes,
                                         const RankUpdate&);

/// The rank's whole, if so much of them shows.
[[nodiscard]] PricedStage whole_rank(const RankPasses&, const RankUpdate&, const ExposedShares&);

/// The same for who lists transfers and chunks: each shows its share, and what is moved for each micro-batch of an
/// undivided model is added to the chunk.
void show(const ExposedShares&, RankUpdate&, ChunkTime&);

}  // namespace meshgauge
