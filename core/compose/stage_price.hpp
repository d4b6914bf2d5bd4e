// Every rank of the pipeline priced: what its passes take, what it does after the last of them, and where time goes.
#pragma once

#include <array>
#include <vector>

#include "core/compose/replay.hpp"
#include "core/compose/schedule.hpp"
#include "core/compose/step.hpp"

namespace meshgauge {

/// One pipeline rank over a whole step.
struct PricedStage {
  StageTime time;                           ///< of one micro-batch, transfers included
  std::array<Seconds, part_count> parts{};  ///< of the step; neither bubble nor fixed time
  StageEnd end;                             ///< exposed after the last backward
  Seconds waiting_for_host{};
};

struct PricedStages {
  std::vector<PricedStage> stages;
  std::vector<ChunkTime> chunks;        ///< of each rank, one after the other
  std::vector<PricedTransfer> traffic;  ///< equal ones of neighbouring ranks are one line
  bool agree = false;                   ///< all ranks wait for one number (the gradient norm) before they update
};

[[nodiscard]] PricedStages price_stages(const Scenario&, const Profile&);

}  // namespace meshgauge
