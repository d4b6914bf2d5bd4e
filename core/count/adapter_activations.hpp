// What low-rank adapters keep for the backward pass beside their frozen base.
#pragma once

#include "core/count/attention_activations.hpp"

namespace meshgauge {

/// Width, in elements for each token, of all that the adapters of one layer read.
[[nodiscard]] inline double adapter_inputs(const MemoryContext& c) {
  double width = 2 * c.h;
  if (c.adapts_attention_output()) width += c.h + c.a * c.q / c.t;
  if (c.adapts_mlp()) width += c.g * c.h + c.f / c.t;
  return width;
}

/// Dropout gives each adapter an input of its own: the dropped copy, and its mask where torch's operator makes it.
/// peft tuners/lora/layer.py Linear.forward; unsloth's kernels keep X and the dropped X (fms-acceleration
/// fast_lora.py). Without dropout the adapters read what the matrices read.
template <class Sink>
void adapter_activations(const MemoryContext& c, const SavedSet& set, Sink& sink) {
  if (!c.adapted() || c.training().lora_dropout == 0) return;
  const double i = c.training().lora_kernels == LoraKernels::plain ? c.w + 1 : c.w, x = adapter_inputs(c);
  sink.add({"adapters", "Adapters: dropped inputs", "n * T * i * x", "peft tuners/lora/layer.py Linear.forward"},
           set.category, set.phases, set.n * (c.T * i * x), {{"n", set.n}, {"T", c.T}, {"i", i}, {"x", x}});
}

}  // namespace meshgauge
