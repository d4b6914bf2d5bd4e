#include "core/search/split.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

double kernels_of(const Scenario& s, const CostTable& table, const StageShape& shape) {
  const LayerCost cost = stage_kernels(s, table, shape);
  return (cost.forward + cost.backward_input + cost.backward_weight).value;
}

/// Fills chunks from the last to the first with as much as stays within `bound`. False if layers are left over.
/// If any split keeps within the bound, this one does: a chunk that takes more leaves the others less.
bool fill(const SplitCosts& costs, std::int64_t chunks, double bound, std::vector<std::int64_t>& out) {
  out.assign(static_cast<std::size_t>(chunks), 0);
  std::size_t left = costs.layers.size();
  for (std::int64_t chunk = chunks - 1; chunk >= 0; --chunk) {
    double sum = (chunk == chunks - 1 ? costs.last : 0) + (chunk == 0 ? costs.first : 0);
    if (sum > bound) return false;
    while (left > 0 && sum + costs.layers[left - 1] <= bound) {
      sum += costs.layers[--left];
      ++out[static_cast<std::size_t>(chunk)];
    }
  }
  return left == 0;
}

}  // namespace

void split_costs(const Scenario& s, const CostTable& table, SplitCosts& out) {
  out.layers.clear();
  for (std::int64_t i = 0; i < s.model.encoder_layers + s.model.layers; ++i) {
    out.layers.push_back(kernels_of(s, table, one_layer(s.model, i)));
  }
  StageShape first, last;
  first.embedding = true;
  last.head = true;
  last.mtp_layers = s.model.mtp_depth;
  out.first = kernels_of(s, table, first);
  out.last = kernels_of(s, table, last);
}

void split_by_cost(const SplitCosts& costs, std::int64_t chunks, std::vector<std::int64_t>& out) {
  double high = costs.first + costs.last, low = 0;
  for (const double layer : costs.layers) high += layer;
  // Rounding in `fill` may ask for a hair more than the sum.
  high *= 1 + 1e-12;
  for (int i = 0; i < 48; ++i) {  // the slowest chunk to 1 in 10^14
    const double middle = (low + high) / 2;
    (fill(costs, chunks, middle, out) ? high : low) = middle;
  }
  (void)fill(costs, chunks, high, out);
}

}  // namespace meshgauge
