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

void count_states_alone(const MemoryContext& context, PhaseTotals& totals) { count_states(context, totals); }

void count_held_by_states(const MemoryContext& context, PhaseTotals& totals) {
  count_states(context, totals);
  count_gradient_buckets(context, totals);
  count_gathered_units(context, totals);
  count_optimizer_temporaries(context, totals);
}

void count_held_by_passes(const MemoryContext& context, const OverheadConstants& constants, PhaseTotals& totals) {
  count_other_activations(context, totals);
  count_loss(context, totals);
  count_layer_backward(context, totals);
  count_parallel_buffers(context, totals);
  count_workspaces(context, constants, totals);
}

void keep_by_layers(const MemoryContext& context, KeptByLayers& kept) {
  const ModelShape& m = context.model();
  const auto keep = [&](LayerKind kind) {
    LayerBytes& layer = kept[static_cast<std::size_t>(kind)];
    layer.lines.clear();
    layer_activations(context, {1, Category::activations, always}, kind, dropped_modules(context.training()), layer);
  };
  keep(LayerKind::dense);
  if (m.moe.used()) keep(LayerKind::moe);
  if (m.kind != ModelKind::encoder_decoder) return;
  keep(LayerKind::encoder);
  keep(LayerKind::decoder_with_cross_attention);
}

void count_kept(const MemoryContext& context, const KeptByLayers& kept, PhaseTotals& totals) {
  const auto layers = [&](const SavedSet& set, LayerKind kind) {
    totals.add({}, set.category, set.phases, kept[static_cast<std::size_t>(kind)].times(set.n).value, {});
  };
  count_kept_layers(context, layers, totals);
}

RebuiltFrom what_is_rebuilt(const MemoryContext& context) { return rebuilt_from(context); }
void count_rebuilt(const MemoryContext& context, PhaseTotals& totals) { count_rebuilt_layers(context, totals); }

void count_outside_tensors(const MemoryContext& context, const OverheadConstants& constants, const PhaseTotals& tensors,
                           PhaseTotals& totals) {
  count_outside(context, constants, tensors, totals);
}

Bytes device_peak(const Scenario& scenario, const OverheadConstants& constants) {
  Bytes most{};
  for (std::int64_t stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
    PhaseTotals totals;
    count_memory(scenario, constants, stage, totals);
    most = max(most, totals.peak());
  }
  return most;
}

template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, PhaseTotals&);
template void count_memory(const Scenario&, const OverheadConstants&, std::int64_t, Ledger&);

}  // namespace meshgauge
