// Seconds of the transfers of a rank, and how many of them its compute cannot hide.
#pragma once

#include <vector>

#include "core/compose/layer_cost.hpp"
#include "core/compose/step.hpp"
#include "core/count/traffic.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// Which part of the step a transfer belongs to.
[[nodiscard]] Part part_of(const Transfer&);

/// Prices each transfer of the rank at `stage`, which holds `blocks` layers. Exposed seconds are those of transfers
/// inside the passes of a micro-batch; data-parallel ones that run beside them are left for expose_data_parallel.
void price_transfers(const Scenario&, const Profile&, CollectiveTimes&, std::int64_t stage, std::int64_t blocks,
                     const LayerCost& kernels, const std::vector<Transfer>& traffic,
                     std::vector<PricedTransfer>& priced);

/// Seconds of one micro-batch on the rank, in which data-parallel transfers can hide.
struct Windows {
  Seconds forward{}, backward{};
};
void expose_data_parallel(const Scenario&, const Profile&, const Windows&, std::vector<PricedTransfer>& priced);

/// True if a transfer runs inside the forward and backward of micro-batches, hence inside the pipeline schedule.
[[nodiscard]] bool inside_passes(const Transfer&);

}  // namespace meshgauge
