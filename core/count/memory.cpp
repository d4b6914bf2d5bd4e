#include "core/count/memory.hpp"

#include "core/count/activations.hpp"
#include "core/count/buffers.hpp"
#include "core/count/loss_memory.hpp"
#include "core/count/outside.hpp"
#include "core/count/states.hpp"

namespace meshgauge {
namespace {

const PhaseTotals& sums(const PhaseTotals& totals) { return totals; }
PhaseTotals sums(const Ledger& ledger) { return ledger.totals(); }

}  // namespace

template <class Sink>
void count_memory(const Scenario& scenario, const OverheadConstants& constants, std::int64_t stage, Sink& sink) {
  const MemoryContext context = memory_context(scenario, stage);
  count_states(context, sink);
  count_activations(context, sink);
  count_loss(context, sink);
  count_buffers(context, constants, sink);
  const PhaseTotals allocated = sums(sink);
  count_outside(context, constants, allocated, sink);
}

template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, PhaseTotals&);
template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, Ledger&);

}  // namespace meshgauge
