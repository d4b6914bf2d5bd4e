// What offloading puts into a node's own memory.
#pragma once

#include "core/count/states.hpp"

namespace meshgauge {

/// A PhaseTotals that takes everything as held at once.
struct HostTotal {
  Bytes total{};

  void add(const LineText&, Category, Phases, double bytes, std::initializer_list<Value>) { total += whole(bytes); }
};

/// Bytes of one rank of the stage that live on the host instead of the GPU (on the disk under nvme, which stages them
/// through the host).
[[nodiscard]] inline Bytes host_bytes(const Scenario& scenario, std::int64_t stage) {
  const MemoryContext c = memory_context(scenario, stage);
  const StateWidths widths = state_widths(c);
  HostTotal host;
  if (c.parameters_offloaded()) {
    count_weights(c, widths, host);
    count_reference(c, widths, host);
  }
  if (c.optimizer_offloaded()) {
    count_gradients(c, widths, host);
    count_optimizer(c, widths, host);
    if (c.engine.mixed_weights == MixedWeights::half_master) {  // DeepSpeed: an fp32 copy of each gradient on the host
      const double d = c.parallelism().zero_stage >= 1 ? c.d : 1;
      host.total += whole(4 * c.trained_dense() / d);
    }
  }
  return host.total;
}

}  // namespace meshgauge
