// Every rank of the pipeline priced: what its passes take, what it does after the last of them, and where time goes.
#pragma once

#include <vector>

#include "core/compose/replay.hpp"
#include "core/compose/step.hpp"
#include "core/compose/update_price.hpp"

namespace meshgauge {

struct PricedStages {
  std::vector<PricedStage> stages;
  std::vector<ChunkTime> chunks;        ///< of each rank, one after the other
  std::vector<PricedTransfer> traffic;  ///< equal ones of neighbouring ranks are one line
  bool agree = false;                   ///< all ranks wait for one number (the gradient norm) before they update
};

[[nodiscard]] PricedStages price_stages(const Scenario&, const Profile&);

}  // namespace meshgauge
