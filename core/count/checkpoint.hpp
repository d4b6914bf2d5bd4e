// Bytes of a checkpoint that training can go on from.
#pragma once

#include "core/count/memory_context.hpp"
#include "core/count/optimizer_state.hpp"
#include "core/count/states.hpp"

namespace meshgauge {

/// What is written for each trained parameter: the weight, its master copy where the engine keeps one, the optimizer's
/// states. Gradients are not. BLOOM's 2.3 TiB for 176e9 parameters of which 329 GiB are bf16 weights: 2 + 4 + 8 bytes
/// (bigscience-workshop/bigscience train/tr11-176B-ml/README.md).
struct CheckpointSize {
  double parameters = 0;  ///< of the whole model, or its adapters
  double weight_bytes = 0, master_bytes = 0, state_bytes = 0;
  double other_parameters = 0;  ///< of which the optimizer keeps `other_bytes` instead
  double other_bytes = 0;
  double factored = 0;  ///< bytes that belong to no single parameter (Adafactor's rows and columns)

  [[nodiscard]] double bytes() const {
    return (weight_bytes + master_bytes) * parameters + state_bytes * (parameters - other_parameters) +
           other_bytes * other_parameters + factored;
  }
};

[[nodiscard]] inline CheckpointSize checkpoint_size(const Scenario& s) {
  CheckpointSize size;
  const auto t = static_cast<double>(s.parallelism.tensor);
  for (std::int64_t i = 0; i < s.parallelism.pipeline; ++i) {
    const MemoryContext c = memory_context(s, i);
    const StateWidths widths = state_widths(c);
    const OptimizerState state = optimizer_state(c);
    size.weight_bytes = widths.weight.bytes;
    size.master_bytes = widths.master.bytes;
    size.state_bytes = state.matrix_bytes;
    size.other_bytes = state.other_bytes;
    size.factored += t * state.factored_bytes;
    if (c.adapted()) size.parameters += t * c.rank.adapters;
  }
  if (s.training.peft != Peft::none) return size;
  size.parameters = total_parameters(s.model) + mtp_parameters(s.model);
  if (size.other_bytes > 0) size.other_parameters = embedding_parameters(s.model) + head_parameters(s.model);
  return size;
}

}  // namespace meshgauge
