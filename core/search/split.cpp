#include "core/search/split.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

double kernels_of(const Scenario& s, const CostTable& table, const StageShape& shape) {
  const LayerCost cost = stage_kernels(s, table, shape);
  return (cost.forward + cost.backward_input + cost.backward_weight).value;
}

/// A split that keeps within a bound, if there is one.
struct Filled {
  bool fits = true;
  double slowest = 0;   ///< of its chunks
  double next = 1e300;  ///< no bound below it gives another split
};

/// Fills chunks from the last to the first with as much as stays within `bound`. If any split keeps within the bound,
/// this one does: a chunk that takes more leaves the others less.
Filled fill(const SplitCosts& costs, std::int64_t chunks, double bound, std::vector<std::int64_t>& out) {
  out.assign(static_cast<std::size_t>(chunks), 0);
  Filled filled;
  std::size_t left = costs.layers.size();
  for (std::int64_t chunk = chunks - 1; chunk >= 0; --chunk) {
    double sum = (chunk == chunks - 1 ? costs.last : 0) + (chunk == 0 ? costs.first : 0);
    if (sum > bound) return {.fits = false, .slowest = 0, .next = std::min(filled.next, sum)};
    const std::size_t before = left;
    while (left > 0 && sum + costs.layers[left - 1] <= bound) sum += costs.layers[--left];
    if (left > 0) filled.next = std::min(filled.next, sum + costs.layers[left - 1]);
    out[static_cast<std::size_t>(chunk)] = static_cast<std::int64_t>(before - left);
    filled.slowest = std::max(filled.slowest, sum);
  }
  filled.fits = left == 0;
  return filled;
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
  double all = costs.first + costs.last;
  for (const double layer : costs.layers) all += layer;
  double low = std::max({all / static_cast<double>(chunks) * (1 - 1e-12), costs.first, costs.last});
  double high = all * (1 + 1e-12);
  // From one bound at which splits change to the next, as they are few where layers are alike; then by halving.
  constexpr int few = 6;
  for (int step = 0; step < few; ++step) {
    const Filled filled = fill(costs, chunks, low, out);
    if (filled.fits) return;
    low = filled.next;
  }
  while (low < high) {
    const double middle = low + (high - low) / 2;
    const Filled filled = fill(costs, chunks, middle < high ? middle : low, out);
    (filled.fits ? high : low) = filled.fits ? filled.slowest : filled.next;
  }
  (void)fill(costs, chunks, high, out);
}

}  // namespace meshgauge
