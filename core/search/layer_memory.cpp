#include "core/search/layer_memory.hpp"

#include <algorithm>

namespace meshgauge {

LayerMemory::Known& LayerMemory::known(const MemoryContext& context) {
  const RecomputeModules dropped = dropped_modules(context.training());
  const auto end = known_.begin() + static_cast<std::ptrdiff_t>(used_);
  const auto found = std::find_if(known_.begin(), end, [&](const Known& k) { return k.dropped == dropped; });
  if (found != end) return *found;
  if (used_ == known_.size()) known_.emplace_back();
  Known& next = known_[used_++];
  next.dropped = dropped;
  next.rebuilt.clear();
  keep_by_layers(context, next.kept);
  return next;
}

void LayerMemory::add_rebuilt(const MemoryContext& context, Known& known, PhaseTotals& totals) {
  const RebuiltFrom from = what_is_rebuilt(context);
  for (const auto& [of, rebuilt] : known.rebuilt) {
    if (of == from) {
      totals += rebuilt;
      return;
    }
  }
  PhaseTotals rebuilt;
  count_rebuilt(context, rebuilt);
  totals += rebuilt;
  known.rebuilt.emplace_back(from, rebuilt);
}

void LayerMemory::count(std::span<const MemoryContext> ranks, std::span<PhaseTotals> totals) {
  Known& known = this->known(ranks.front());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    count_kept(ranks[i], known.kept, totals[i]);
    add_rebuilt(ranks[i], known, totals[i]);
  }
}

}  // namespace meshgauge
