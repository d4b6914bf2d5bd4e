// Saved activations of a rank: every tensor of its layers, times the micro-batches in flight, less what is recomputed.
#pragma once

#include "core/count/attention_activations.hpp"
#include "core/count/mlp_activations.hpp"

namespace meshgauge {

/// Norm inputs and outputs, statistics, dropout masks. The norms' outputs feed QKV and the MLP.
template <class Sink>
void norm_activations(const MemoryContext& c, const SavedSet& set, bool keep_outputs, Sink& sink) {
  const auto norms = static_cast<double>(c.model().norms_per_layer);
  const bool rms = c.model().norm == Norm::rmsnorm;
  const bool eager = c.training().kernels == Kernels::eager;
  if (eager && rms) {
    sink.add({"norms", "Norms: fp32 input, normalised, output", "n * T * r * (4 + 2 * w) * h / u", hf_source},
             set.category, set.phases, set.n * c.T * norms * (4 + 2 * c.w) * c.h / c.u,
             {{"n", set.n}, {"T", c.T}, {"r", norms}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
    sink.add({"residual", "Residual stream", "n * T * w * h / u", hf_source}, set.category, set.phases,
             set.n * c.T * c.w * c.h / c.u, {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
  } else {
    // A block with one norm (parallel attention) still reads it twice; both matrices share its output.
    const double outputs = keep_outputs ? norms : 0;
    sink.add({"norms", "Norm inputs and outputs", "n * T * w * (r + o) * h / u", te_source}, set.category, set.phases,
             set.n * c.T * c.w * (norms + outputs) * c.h / c.u,
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"r", norms}, {"o", outputs}, {"h", c.h}, {"u", c.u}});
  }
  const double statistics = rms ? 4 : 8;  // fp32: 1/rms, or mean and 1/std
  sink.add({"norm_statistics", "Norm statistics, fp32", "n * T * z * r / u", te_source}, set.category, set.phases,
           set.n * c.T * statistics * norms / c.u,
           {{"n", set.n}, {"T", c.T}, {"z", statistics}, {"r", norms}, {"u", c.u}});
  if (c.training().dropout) {
    sink.add({"dropout_masks", "Dropout masks, one byte", "n * T * 2 * h / u",
              "Korthikanti et al. 2022, arXiv:2205.05198 section 4.1"},
             set.category, set.phases, set.n * c.T * 2 * c.h / c.u,
             {{"n", set.n}, {"T", c.T}, {"h", c.h}, {"u", c.u}});
  }
}

/// The large tensors that selective recompute threw away, rebuilt for the layer whose backward runs.
template <class Sink>
void rebuilt_modules(const MemoryContext& c, LayerKind kind, const RecomputeModules& dropped, Sink& sink) {
  const SavedSet one{1, Category::transient, c.in(at(Phase::backward))};
  if (dropped.core_attention && c.training().attention == Attention::unfused) score_activations(c, one, sink);
  if (dropped.mlp && kind != LayerKind::moe) mlp_activations(c, one, c.f, true, sink);
  if (dropped.moe_activation && kind == LayerKind::moe) moe_activations(c, one, true, sink);
}

/// All saved tensors of `n` layers of one kind. `modules` are the parts that selective recompute throws away.
template <class Sink>
void layer_activations(const MemoryContext& c, const SavedSet& set, LayerKind kind, const RecomputeModules& modules,
                       Sink& sink) {
  if (set.n <= 0) return;
  norm_activations(c, set, !modules.layernorm, sink);
  attention_activations(c, set, modules, sink);
  if (kind == LayerKind::decoder_with_cross_attention) attention_activations(c, set, modules, sink);
  if (kind == LayerKind::moe) {
    moe_activations(c, set, !modules.moe_activation, sink);
  } else {
    mlp_activations(c, set, c.f, !modules.mlp, sink);
  }
}

/// How many of a rank's layers keep everything, keep only their input, and are rebuilt at once in the backward pass.
struct KeptLayers {
  double whole = 1;        ///< share of layers that keep all tensors
  double inputs = 0;       ///< share that keeps its input
  double rebuilt = 0;      ///< layers rebuilt together
};

/// Megatron-LM core/transformer/transformer_block.py _checkpointed_forward: uniform keeps the input of every group
/// of n layers, block recomputes the first n layers of each stage.
[[nodiscard]] inline KeptLayers kept_layers(const MemoryContext& c) {
  const Training& training = c.training();
  if (training.recompute != Recompute::full) return {};
  const auto layers = static_cast<double>(std::max<std::int64_t>(1, c.stage.blocks()));
  const double n = std::min(static_cast<double>(training.recompute_layers), layers);
  if (training.recompute_method == RecomputeMethod::uniform) return {.whole = 0, .inputs = 1 / n, .rebuilt = n};
  return {.whole = 1 - n / layers, .inputs = n / layers, .rebuilt = 1};
}

/// What selective recompute throws away; nothing under the other settings.
[[nodiscard]] inline RecomputeModules dropped_modules(const Training& training) {
  return training.recompute == Recompute::selective ? training.recompute_modules : RecomputeModules{};
}

template <class Sink>
void count_layer_activations(const MemoryContext& c, std::int64_t layers, LayerKind kind, Sink& sink) {
  if (layers == 0) return;
  const KeptLayers kept = kept_layers(c);
  const double n = static_cast<double>(layers) * c.flight.activation_sets;
  const Phases alive = c.in(during(Phase::forward, Phase::backward));
  layer_activations(c, {n * kept.whole, Category::activations, alive}, kind, dropped_modules(c.training()), sink);
  if (kept.inputs > 0) {
    sink.add({"checkpoints", "Layer inputs kept for recompute", "n * i * T * w * h / u",
              "Chen et al. 2016, arXiv:1604.06174; arXiv:2205.05198 section 5: 2 s b h"},
             Category::activations, alive, n * kept.inputs * c.T * c.w * c.h / c.u,
             {{"n", n}, {"i", kept.inputs}, {"T", c.T}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
  }
}

template <class Sink>
void count_activations(const MemoryContext& c, Sink& sink) {
  const bool cross = c.model().kind == ModelKind::encoder_decoder;
  count_layer_activations(c, c.stage.dense_layers, cross ? LayerKind::decoder_with_cross_attention : LayerKind::dense,
                          sink);
  count_layer_activations(c, c.stage.moe_layers, LayerKind::moe, sink);
  count_layer_activations(c, c.stage.encoder_layers, LayerKind::encoder, sink);
  count_layer_activations(c, c.stage.mtp_layers, c.model().moe.used() ? LayerKind::moe : LayerKind::dense, sink);
  // Rebuilding keeps the tensors of one group of layers alive while its backward runs: the widest kind counts.
  const KeptLayers kept = kept_layers(c);
  const LayerKind widest = c.stage.moe_layers > 0 ? LayerKind::moe
                           : cross                ? LayerKind::decoder_with_cross_attention
                                                  : LayerKind::dense;
  layer_activations(c, {kept.rebuilt, Category::transient, c.in(at(Phase::backward))}, widest, {}, sink);
  if (c.stage.blocks() > 0) rebuilt_modules(c, widest, dropped_modules(c.training()), sink);

  const Phases alive = c.in(during(Phase::forward, Phase::backward));
  if (c.stage.embedding && c.model().vocab > 0) {
    sink.add({"token_ids", "Token ids and labels, int64", "n * T * 16", "torch.long inputs of the embedding and loss"},
             Category::activations, alive, c.flight.activation_sets * c.T * 16,
             {{"n", c.flight.activation_sets}, {"T", c.T}});
    if (c.training().dropout) {
      sink.add({"embedding_dropout", "Embedding dropout mask", "n * T * h / u",
                "Korthikanti et al. 2022, arXiv:2205.05198 section 4.3"},
               Category::activations, alive, c.flight.activation_sets * c.T * c.h / c.u,
               {{"n", c.flight.activation_sets}, {"T", c.T}, {"h", c.h}, {"u", c.u}});
    }
  }
  if (c.stage.head && c.model().final_norm) {
    sink.add({"final_norm", "Final norm input and output", "T * w * 2 * h / u",
              "Korthikanti et al. 2022, arXiv:2205.05198 section 4.3"},
             Category::activations, alive, c.T * c.w * 2 * c.h / c.u,
             {{"T", c.T}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
  }
  if (c.mixed() && c.engine.mixed_weights == MixedWeights::autocast) {
    // Each Linear saves the 16-bit copy that autocast made of its weight.
    sink.add({"autocast_copies", "16-bit weight copies of autocast", "2 * P",
              "torch/amp/autocast_mode.py weight cache; saved by each Linear for its backward"},
             Category::activations, alive, 2 * c.rank.total(), {{"P", c.rank.total()}});
  }
}

}  // namespace meshgauge
