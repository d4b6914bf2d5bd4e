// What layers keep and what is rebuilt of them, for all ranks, schedules and recompute choices of a grid: bytes of one
// layer hang on the modules that are thrown away alone.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/count/memory.hpp"

namespace meshgauge {

class LayerMemory {
 public:
  /// Forgets what was known, as another grid comes; memory is used again.
  void clear() { used_ = 0; }
  /// Adds the lines of ranks of one layout, each to its own totals.
  void count(std::span<const MemoryContext> ranks, std::span<PhaseTotals> totals);

 private:
  struct Known {
    RecomputeModules dropped;
    KeptByLayers kept;
    std::vector<std::pair<RebuiltFrom, PhaseTotals>> rebuilt;
  };
  [[nodiscard]] Known& known(const MemoryContext&);
  static void add_rebuilt(const MemoryContext&, Known&, PhaseTotals&);

  std::vector<Known> known_;
  std::size_t used_ = 0;
};

}  // namespace meshgauge
