// Bytes that one rank of a pipeline stage holds, phase by phase.
#pragma once

#include "core/count/ledger.hpp"
#include "core/count/overhead.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Adds every line of the rank at pipeline position `stage` (0-based) to the sink. Allocated bytes are all lines but
/// those of Category::overhead; reserved adds the allocator's slack, device the context and communicators.
template <class Sink>
void count_memory(const Scenario&, const OverheadConstants&, std::int64_t stage, Sink&);

extern template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, PhaseTotals&);
extern template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, Ledger&);

}  // namespace meshgauge
