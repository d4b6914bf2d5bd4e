// Uneven pipelines: layers dealt out so that the slowest chunk is as fast as it can be.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compose/stage_cost.hpp"

namespace meshgauge {

/// Seconds of the kernels of one micro-batch: of each layer, and of what the ends hold beside layers.
struct SplitCosts {
  std::vector<double> layers;
  double first = 0, last = 0;
};
void split_costs(const Scenario&, const CostTable&, SplitCosts& out);

/// Layers of each of `chunks` chunks in model order. No split of the layers has a faster slowest chunk. Of the equal
/// ones it is the one that fills the last chunks first: in 1F1B the first ranks keep the most activations.
void split_by_cost(const SplitCosts&, std::int64_t chunks, std::vector<std::int64_t>& out);

}  // namespace meshgauge
