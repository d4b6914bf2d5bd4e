// Bytes that one rank of a pipeline stage holds, phase by phase.
#pragma once

#include "core/count/layer_bytes.hpp"
#include "core/count/ledger.hpp"
#include "core/count/memory_context.hpp"
#include "core/count/overhead.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Adds every line of the rank at pipeline position `stage` (0-based) to the sink. Allocated bytes are all lines but
/// those of Category::overhead; reserved adds the allocator's slack, device the context and communicators.
template <class Sink>
void count_memory(const Scenario&, const OverheadConstants&, std::int64_t stage, Sink&);

/// The same in parts, for who counts many scenarios that have some of them in common: what data parallelism and the
/// optimizer hold; what the passes hold, whatever is recomputed; what layers keep and what is rebuilt of them; and what
/// lies outside the tensors. The sums of the parts are those of count_memory to the byte, as all lines are whole.
void count_held_by_states(const MemoryContext&, PhaseTotals&);
void count_held_by_passes(const MemoryContext&, const OverheadConstants&, PhaseTotals&);
void count_rebuilt(const MemoryContext&, PhaseTotals&);
/// The third with what one layer keeps known, as it is for all ranks and numbers of layers.
void keep_by_layers(const MemoryContext&, KeptByLayers&);
void count_kept(const MemoryContext&, const KeptByLayers&, PhaseTotals&);
[[nodiscard]] RebuiltFrom what_is_rebuilt(const MemoryContext&);
void count_outside_tensors(const MemoryContext&, const OverheadConstants&, const PhaseTotals& tensors, PhaseTotals&);
/// Of the first part the states alone, whose lines are proportional to the parameters of the rank.
void count_states_alone(const MemoryContext&, PhaseTotals&);

/// What the fullest rank needs on its device: all lines.
[[nodiscard]] Bytes device_peak(const Scenario&, const OverheadConstants&);

extern template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, PhaseTotals&);
extern template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, Ledger&);

}  // namespace meshgauge
