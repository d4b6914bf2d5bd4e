// What low-rank adapters keep for the backward pass beside their frozen base.
#pragma once

#include "core/count/attention_activations.hpp"

namespace meshgauge {

/// Widths, in elements for each token, of what adapters read and write in one layer.
struct AdapterWidths {
  double inputs = 0, outputs = 0;
};

[[nodiscard]] inline AdapterWidths adapter_widths(const MemoryContext& c) {
  // Of grouped keys and values the sums are as wide as the query: measured (fms-acceleration references on 2 to 8 A100
  // imply 29 to 37 times 2 h for the four matrices of attention; these sums give 30), the reason is not known.
  const double query = c.a * c.q / c.t, key = query;
  AdapterWidths widths{.inputs = 2 * c.h, .outputs = query + key};
  if (c.training().lora_targets != LoraTargets::query_value) {
    widths.inputs += c.h + query;
    widths.outputs += key + c.h;
  }
  if (c.training().lora_targets == LoraTargets::all_linear) {
    widths.inputs += c.g * c.h + c.f / c.t;
    widths.outputs += c.g * c.f / c.t + c.h;
  }
  return widths;
}

/// peft tuners/lora/layer.py Linear.forward: x.to(fp32), dropout with its mask, B(A(x)) in fp32, and the sum with the
/// base's output, cast back: where shards are gathered (FSDP) adapters compute in fp32. Else autocast runs them in 16
/// bits beside tensors that the base keeps anyway, less the dropout masks and the dropped inputs.
template <class Sink>
void adapter_activations(const MemoryContext& c, const SavedSet& set, Sink& sink) {
  if (!c.adapted()) return;
  const bool casts = c.mixed() && c.engine.mixed_weights == MixedWeights::gathered;
  const bool plain = c.training().lora_kernels == LoraKernels::plain;
  const AdapterWidths widths = adapter_widths(c);
  // Over a whole step the dropped inputs are kept; while a layer is rebuilt, the casts and the sums as well.
  const bool whole_step = set.category == Category::activations;
  const double fp32_inputs = whole_step ? 4 : 4 + 4 + 1, fp32_outputs = whole_step ? 0 : 4 + 2;
  const double i = casts ? fp32_inputs : plain && c.training().dropout ? c.w + 1 : 0, o = casts ? fp32_outputs : 0;
  sink.add({"adapters", "Adapters: inputs, dropout, outputs", "n * T * (i * x + o * y)",
            "peft tuners/lora/layer.py Linear.forward"},
           set.category, set.phases, set.n * c.T * (i * widths.inputs + o * widths.outputs),
           {{"n", set.n}, {"T", c.T}, {"i", i}, {"x", widths.inputs}, {"o", o}, {"y", widths.outputs}});
}

}  // namespace meshgauge
