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

/// Seconds on the rank in which data-parallel transfers can hide.
struct Windows {
  Seconds forward{}, backward{};
};
/// How many micro-batches of a layout's ranks that is: all, where units are moved for each of them. `passes`:
/// micro-batches that cross each chunk.
struct HidingPasses {
  bool by_units = false;  ///< of FSDP, not buckets
  double forwards = 1, backwards = 1;
};
[[nodiscard]] HidingPasses hiding_passes(const Scenario&, double passes);

/// What stands between a transfer and the passes that it runs beside, if any: forwards or backwards.
struct Beside {
  enum Which : std::size_t { nothing, forwards, backwards, count };
};
[[nodiscard]] Beside::Which beside_which(const Transfer&);

/// Data-parallel transfers that run beside forwards, or beside backwards, together.
struct HiddenTransfers {
  Seconds cost{}, largest{}, smallest{};  ///< of all, of one unit or bucket

  void add(const PricedTransfer&);
};
/// Shares of them that stay exposed.
struct ExposedShares {
  double forwards = 0, backwards = 0;
};
[[nodiscard]] ExposedShares exposed_shares(const Profile&, bool by_units, const Windows&,
                                           const HiddenTransfers& forwards, const HiddenTransfers& backwards);

/// True if a transfer runs inside the forward and backward of micro-batches, hence inside the pipeline schedule.
[[nodiscard]] bool inside_passes(const Transfer&);

}  // namespace meshgauge
