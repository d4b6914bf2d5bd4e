// Device memory outside the steady step: its first one, evaluation, saving a checkpoint, resuming from one.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/count/ledger.hpp"
#include "core/count/memory_context.hpp"

namespace meshgauge {

/// Bytes on the device at the peak of each, without what the allocator keeps from elsewhere.
struct OtherPhases {
  Bytes first_step{};  ///< forward to reduce before the optimizer has moments, and the step that makes them
  Bytes evaluation{};  ///< forward of a micro-batch without a graph; logits in fp32 as metrics want them
  Bytes save{};
  Bytes resume{};  ///< the first forward with optimizer states already there
};

/// What one layer's forward holds at once without a graph: its input, norm output, the MLP's widest pair.
[[nodiscard]] inline double forward_working_set(const MemoryContext& c) {
  const double f = c.stage.moe_layers > 0
                       ? static_cast<double>(c.model().moe.top_k * c.model().moe.expert_ffn + c.model().moe.shared_ffn)
                       : c.f;
  return c.T * c.w * ((c.g + 1) * f / c.t + 3 * c.h);
}

/// `ledger` is the stage's; source of the rules: transformers trainer.py evaluation_loop and
/// _load_optimizer_and_scheduler, torch/distributed/fsdp state dicts (one unit gathered at a time), DeepSpeed engine.py
/// save_16bit_model.
[[nodiscard]] inline OtherPhases other_phases(const Scenario& scenario, std::int64_t stage, const Ledger& ledger) {
  const MemoryContext c = memory_context(scenario, stage);
  double held = 0, moments = 0, gathered = 0;
  std::array<double, phase_count> totals{};
  for (const LedgerLine& line : ledger.lines) {
    const double bytes = line.bytes.value;
    if (line.text.id == std::string_view("allocator_reserve")) continue;
    for (std::size_t i = 0; i < phase_count; ++i) {
      if (line.phases.has(static_cast<Phase>(i))) totals[i] += bytes;
    }
    const bool steady = line.phases.has(Phase::forward) && line.phases.has(Phase::optimizer);
    const bool zeroed = line.category == Category::gradients && !c.engine.gradient_buffer;
    if (steady && !zeroed) held += bytes;
    if (line.text.id == std::string_view("optimizer_moments")) moments += bytes;
    if (line.category == Category::buffers && line.phases.has(Phase::forward) && !steady) gathered += bytes;
  }
  double largest = 0;
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    const bool before_update = phase >= Phase::forward && phase <= Phase::reduce;
    largest = std::max(largest, totals[i] - (before_update ? moments : 0));
  }
  const double logits = c.stage.head ? c.T * c.V * (c.w + 4) : 0;
  const bool gathers =
      c.engine.zero[static_cast<std::size_t>(c.parallelism().zero_stage)].gather == ParameterGather::each_use;
  const double unit = gathers && c.multi ? 4 * std::max(c.rank.largest_layer, c.rank.outside_layers) : 0;
  const double steady_peak = *std::max_element(totals.begin(), totals.end());
  return {.first_step = whole(largest),
          .evaluation = whole(held + gathered + logits + forward_working_set(c)),
          .save = whole(held + unit),
          .resume = whole(steady_peak)};
}

}  // namespace meshgauge
