// Seconds of the kernels of a pipeline stage, and of its optimizer.
#pragma once

#include <array>

#include "core/compose/layer_cost.hpp"

namespace meshgauge {

/// The costs that all stages are put together from.
struct CostTable {
  std::array<std::array<LayerCost, 2>, 4> layers{};  ///< by LayerKind and AttentionKind; zero where the model has none
  LayerCost mtp, head, embedding;
};

[[nodiscard]] CostTable cost_table(const Scenario&, const Profile&);

/// The table in two parts, for who prices many recompute choices: what none of them changes, and the rest.
struct PricedModel {
  std::array<std::array<LayerPrice, 2>, 4> layers;
  LayerPrice mtp, mtp_layer;
};
void price_model(const Scenario&, const Profile&, PricedModel&, CostTable&);
void set_recompute(const Scenario&, const Profile&, const PricedModel&, CostTable&);

/// One micro-batch through all that the rank holds. Recompute is that of the layers it really repeats.
[[nodiscard]] LayerCost stage_kernels(const Scenario&, const CostTable&, const StageShape&);

/// In two parts as well: kernels without recompute, and what it adds to them.
struct RepeatedKernels {
  Seconds kernels{}, gaps{};
  Seconds host{};  ///< in the backward
};
[[nodiscard]] LayerCost kernels_once(const Scenario&, const CostTable&, const StageShape&);
[[nodiscard]] RepeatedKernels repeated_kernels(const Scenario&, const CostTable&, const StageShape&);

/// Update of the rank's parameters: passes over gradients and states, once a step.
[[nodiscard]] Seconds optimizer_time(const Scenario&, const Profile&, const StageShape&);

}  // namespace meshgauge
