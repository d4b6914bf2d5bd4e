// What a rank does for data parallelism and its optimizer, and the rank as a whole: passes and update together.
#pragma once

#include <vector>

#include "core/compose/pass_price.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// Data-parallel transfers of a rank and its optimizer step, whatever its passes take.
struct RankUpdate {
  std::vector<PricedTransfer> transfers;  ///< what is exposed is found beside the passes
  Seconds optimizer{};
  Seconds inside{};  ///< exposed inside the forward: DataParallel's outputs on their way to the first device
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
  bool agrees = false;  ///< it waits for a number of all ranks (the gradient norm) before it updates
};

/// What data-parallel transfers hide of themselves beside the passes, and the rank's whole. `passes`: micro-batches
/// that cross each chunk. What is moved for each micro-batch of an undivided model is added to `chunk`, if that is
/// given.
[[nodiscard]] PricedStage whole_rank(const Scenario&, const Profile&, const RankPasses&, double passes, RankUpdate&,
                                     ChunkTime* chunk);

}  // namespace meshgauge
