// Work of a step, hardware-free: every matrix product, attention core and memory-bound pass of a layer, and FLOP
// totals.
#pragma once

#include <cstdint>

#include "core/count/op.hpp"
#include "core/count/parameters.hpp"
#include "core/count/stage.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Calls `sink(const Op&)` for each op of one layer's forward, in order.
template <class Sink>
void layer_ops(const Scenario&, LayerKind, AttentionKind, Sink&& sink);
/// What a multi-token-prediction layer adds to a layer: two norms and a projection of both inputs.
template <class Sink>
void mtp_ops(const Scenario&, Sink&& sink);
/// Final norm, LM head and loss (m = tokens of a micro-batch).
template <class Sink>
void head_ops(const Scenario&, Sink&& sink);
template <class Sink>
void embedding_ops(const Scenario&, Sink&& sink);

/// The layer kinds of a stage and how many layers of each: `visit(LayerKind, AttentionKind, std::int64_t count)`.
/// Where both kinds of attention and of MLP occur only their numbers matter: the sum is the same however they pair up.
template <class Visit>
void for_each_layer_kind(const ModelShape&, const StageShape&, Visit&& visit);

/// Share of a stage's layers that full recompute runs again: all (uniform), or the first n of each chunk (block).
[[nodiscard]] double recomputed_share(const Scenario&, const StageShape&);

/// FLOP totals of one step over the whole job. A multiply-add counts two; a training step three forwards.
///
/// Both model counts take the formula of Megatron-LM (megatron/training/training.py num_floating_point_operations):
/// attention projections, MLP or top-k and shared experts, attention core, logits over the padded vocabulary, MTP.
/// Router, norms, softmax, rotary embedding and optimizer are not in it. Sliding-window layers count the full
/// sequence, as there. Encoders (BERT, ViT, T5's) have no causal mask, so for them both counts are equal.
struct StepFlops {
  double model_causal = 0;  ///< attention core of decoders halved by the causal mask (Megatron-LM)
  double model_full = 0;    ///< attention core counted in full (PaLM, torchtitan, Narayanan et al. 2021)
  /// What the chip executes (HFU): flash attention skips masked and out-of-window scores, but its backward computes
  /// the scores again (2.5 forwards instead of 2: flash-attention benchmarks/benchmark_flash_attention.py); unfused
  /// attention computes the full square; what recompute runs again is added.
  double hardware = 0;
  /// The same with the attention core counted in full and its backward as two forwards: what BigScience, OPT and
  /// Narayanan et al. 2021 print.
  double hardware_full = 0;

  /// Multiply-adds of a forward for one token that the totals are made of.
  struct Token {
    double matrices = 0;       ///< patch embedding included
    double matrix_passes = 6;  ///< FLOPs of a step for each: 4 on a frozen base
    double core = 0, causal_core = 0, executed_core = 0;
    double core_passes = 6;                 ///< of the executed core
    double again = 0, again_full_core = 0;  ///< what recompute runs again, its core as executed and in full
  } token;
};
[[nodiscard]] StepFlops step_flops(const Scenario&);

}  // namespace meshgauge

#include "core/count/flops_ops.hpp"
