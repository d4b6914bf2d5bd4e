// Seconds of the transfers of a rank, and how many of them its compute cannot hide.
#pragma once

#include <vector>

#include "core/compose/layer_cost.hpp"
#include "core/compose/step.hpp"
#include "core/count/traffic.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// Which part of the step a transfer belongs to.
[[nodiscard]] constexpr Part part_of(const Transfer& t) {
  if (t.when == When::stage_boundary) return Part::pipeline_parallel;
  switch (t.group) {
    case Group::tensor_parallel:
      return Part::tensor_parallel;
    case Group::context_parallel:
      return Part::context_parallel;
    case Group::pipeline_parallel:
    case Group::embedding:
      return Part::pipeline_parallel;
    case Group::expert_parallel:
    case Group::expert_tensor_parallel:
      return Part::expert_parallel;
    case Group::data_parallel:
    case Group::data_parallel_in_node:
    case Group::data_parallel_across_nodes:
    case Group::expert_data_parallel:
    case Group::replica_data_parallel:
    case Group::world:
      return Part::data_parallel;
  }
  return Part::data_parallel;
}

/// Prices each transfer of the rank at `stage`, which holds `blocks` layers. Exposed seconds are those of transfers
/// inside the passes of a micro-batch; data-parallel ones that run beside them are left for expose_data_parallel.
void price_transfers(const Scenario&, const Profile&, CollectiveTimes&, std::int64_t stage, std::int64_t blocks,
                     const LayerCost& kernels, const std::vector<Transfer>& traffic,
                     std::vector<PricedTransfer>& priced);

/// Seconds of one micro-batch on the rank, in which data-parallel transfers can hide.
struct Windows {
  Seconds forward{}, backward{};
};

/// What stands between a transfer and the passes that it runs beside, if any: forwards or backwards.
enum class Beside { nothing, forwards, backwards };
[[nodiscard]] Beside beside_which(const Transfer&);

/// Data-parallel transfers that run beside forwards, or beside backwards, together.
struct HiddenTransfers {
  Seconds cost{}, largest{}, smallest{};  ///< of all, of one unit or bucket

  void add(const PricedTransfer&);
};
/// Shares of them that stay exposed.
struct ExposedShares {
  double forwards = 0, backwards = 0;
};
[[nodiscard]] ExposedShares exposed_shares(const Scenario&, const Profile&, const Windows&,
                                           const HiddenTransfers& forwards, const HiddenTransfers& backwards);

/// True if a transfer runs inside the forward and backward of micro-batches, hence inside the pipeline schedule.
[[nodiscard]] constexpr bool inside_passes(const Transfer& t) {
  switch (t.when) {
    case When::forward_layer:
    case When::backward_layer:
    case When::recompute_layer:
    case When::loss:
    case When::stage_boundary:
      return true;
    case When::forward_gather:
    case When::backward_gather:
    case When::gradient_reduce:
    case When::step_end:
      return false;
  }
  return false;
}

}  // namespace meshgauge
