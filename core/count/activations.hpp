// Saved activations of a rank: every tensor of its layers, times the micro-batches in flight, less what is recomputed.
#pragma once

#include "core/count/adapter_activations.hpp"
#include "core/count/attention_activations.hpp"
#include "core/count/layer_bytes.hpp"
#include "core/count/mlp_activations.hpp"

namespace meshgauge {

/// Norm inputs and outputs, statistics, dropout masks. The norms' outputs feed QKV and the MLP.
template <class Sink>
void norm_activations(const MemoryContext& c, const SavedSet& set, bool keep_outputs, Sink& sink) {
  const auto norms = static_cast<double>(c.model().norms_per_layer);
  const bool rms = c.model().norm == Norm::rmsnorm;
  const bool eager = c.training().kernels == Kernels::eager;
  // Those whose output a matrix keeps: attention's, the MLP's.
  double read = norms;
  if (eager && c.adapted()) read = (c.keeps_input(true) ? 1.0 : 0.0) + (c.keeps_input(c.adapts_mlp()) ? 1.0 : 0.0);
  if (c.fp32_stream()) read = rms ? 3 + c.g : norms;  // a 16-bit copy for each product; LayerNorm families pack Q, K, V
  if (rms && !c.training().fused_norm) {
    const double y = c.adapted() ? 0 : c.stream_bytes();  // what is multiplied by the weight, for its gradient
    sink.add({"norms", "Norms: fp32 input, normalised, output", "n * T * (r * (4 + y) + o * w) * h / u", hf_source},
             set.category, set.phases, set.n * (c.T * (norms * (4 + y) + read * c.w) * c.h / c.u),
             {{"n", set.n}, {"T", c.T}, {"r", norms}, {"y", y}, {"o", read}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
    // Autograd saves it only as the norms' input (fp32), so not in 16 bits; the field's measurements, all with sdpa,
    // hold the layer's output beside what it saved. Of a rebuilt layer it is the checkpoint.
    const bool measured = c.stream_bytes() == 2 && c.training().attention != Attention::unfused;
    if (measured && set.category == Category::activations) {
      sink.add({"residual", "Residual stream", "n * T * w * h / u", hf_source}, set.category, set.phases,
               set.n * (c.T * c.w * c.h / c.u), {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
    }
  } else {
    // A block with one norm (parallel attention) still reads it twice; both matrices share its output.
    const double outputs = (keep_outputs ? read : 0) * c.input_bytes / c.w;  // as the products read them
    // Of a rebuilt layer the first norm's input is the checkpoint.
    const double inputs = norms - (set.category == Category::transient ? 1 : 0);
    const double v = c.stream_bytes();
    sink.add({"norms", "Norm inputs and outputs", "n * T * (v * r + w * o) * h / u", te_source}, set.category,
             set.phases, set.n * (c.T * (v * inputs + c.w * outputs) * c.h / c.u),
             {{"n", set.n}, {"T", c.T}, {"v", v}, {"r", inputs}, {"w", c.w}, {"o", outputs}, {"h", c.h}, {"u", c.u}});
  }
  const double statistics = rms ? 4 : 8;  // fp32: 1/rms, or mean and 1/std
  sink.add({"norm_statistics", "Norm statistics, fp32", "n * T * z * r / u", te_source}, set.category, set.phases,
           set.n * (c.T * statistics * norms / c.u),
           {{"n", set.n}, {"T", c.T}, {"z", statistics}, {"r", norms}, {"u", c.u}});
  if (c.training().dropout) {
    sink.add({"dropout_masks", "Dropout masks, one byte", "n * T * 2 * h / u",
              "Korthikanti et al. 2022, arXiv:2205.05198 section 4.1"},
             set.category, set.phases, set.n * (c.T * 2 * c.h / c.u),
             {{"n", set.n}, {"T", c.T}, {"h", c.h}, {"u", c.u}});
  }
}

/// The large tensors that selective recompute threw away, rebuilt for the layer whose backward runs.
template <class Sink>
void rebuilt_modules(const MemoryContext& c, LayerKind kind, const RecomputeModules& dropped, Sink& sink) {
  const SavedSet one{1, Category::transient, c.in(at(Phase::backward))};  // the reduce phase counts whole layers
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
  adapter_activations(c, set, sink);
  if (kind == LayerKind::decoder_with_cross_attention) attention_activations(c, set, modules, sink);
  if (kind == LayerKind::moe) {
    moe_activations(c, set, !modules.moe_activation, sink);
  } else {
    mlp_activations(c, set, c.f, !modules.mlp, sink);
  }
}

/// torchtitan distributed/activation_checkpoint.py: of wq, wk, wv, wo, w1, w3, w2 the first, third, ... are kept.
template <class Sink>
void kept_products(const MemoryContext& c, const SavedSet& set, LayerKind kind, Sink& sink) {
  constexpr const char* source = "torchtitan distributed/activation_checkpoint.py: attention and every second product";
  const bool moe = kind == LayerKind::moe;
  const MixtureOfExperts& experts = c.model().moe;
  const double f = moe ? static_cast<double>(experts.top_k * experts.expert_ffn + experts.shared_ffn) : c.f;
  const double o = c.training().attention == Attention::unfused ? 0 : 1;
  sink.add({"kept_products", "Kept matrix products and attention output",
            "n * T * w * ((a * q * (1 + o) + k * q + f) / t + h / u)", source},
           set.category, set.phases, set.n * (c.T * c.w * ((c.a * c.q * (1 + o) + c.k * c.q + f) / c.t + c.h / c.u)),
           {{"n", set.n},
            {"T", c.T},
            {"w", c.w},
            {"a", c.a},
            {"q", c.q},
            {"o", o},
            {"k", c.k},
            {"f", f},
            {"t", c.t},
            {"h", c.h},
            {"u", c.u}});
}

/// How many of a rank's layers keep everything, keep only their input, and are rebuilt at once in the backward pass.
struct KeptLayers {
  double whole = 1;    ///< share of layers that keep all tensors
  double inputs = 0;   ///< share that keeps its input
  double rebuilt = 0;  ///< layers rebuilt together
};

/// Megatron-LM core/transformer/transformer_block.py _checkpointed_forward: uniform keeps the input of every group
/// of n layers, block recomputes the first n layers of each stage.
[[nodiscard]] inline KeptLayers kept_layers(const MemoryContext& c) {
  const Training& training = c.training();
  if (dropped_modules(training).operators) return {.whole = 0, .inputs = 1, .rebuilt = 1};
  if (training.recompute != Recompute::full) return {};
  const auto layers = static_cast<double>(std::max<std::int64_t>(1, c.stage.blocks()));
  const double n = std::min(static_cast<double>(training.recompute_layers), layers);
  if (training.recompute_method == RecomputeMethod::uniform) return {.whole = 0, .inputs = 1 / n, .rebuilt = n};
  return {.whole = 1 - n / layers, .inputs = n / layers, .rebuilt = 1};
}

/// `layers(set, kind)` adds what layers keep.
template <class Layers, class Sink>
void count_layer_activations(const MemoryContext& c, double held, LayerKind kind, Layers&& layers, Sink& sink) {
  if (held <= 0) return;
  const KeptLayers kept = kept_layers(c);
  // Expert all-to-alls that run beside another micro-batch keep that one's layer too (Megatron-LM combined_1f1b.py).
  const double beside = c.training().overlap_expert_parallel && kind == LayerKind::moe ? 1 : 0;
  const double n = held + beside;
  const Phases alive = c.in(during(Phase::forward, Phase::backward));
  layers(SavedSet{n * kept.whole, Category::activations, alive}, kind);
  if (dropped_modules(c.training()).operators) kept_products(c, {n, Category::activations, alive}, kind, sink);
  if (kept.inputs > 0) {
    const double w = c.training().upcast_residual ? 4 : c.stream_bytes();  // peft prepare_model_for_kbit_training
    const bool stay = c.adapted() && c.multi && c.engine.buffers.keeps_checkpoint_gradients;
    sink.add({"checkpoints", "Layer inputs kept for recompute", "n * i * T * w * h / u",
              "Chen et al. 2016, arXiv:1604.06174; arXiv:2205.05198 section 5: 2 s b h"},
             Category::activations, stay ? c.in(during(Phase::forward, Phase::reduce)) : alive,
             n * kept.inputs * c.T * w * c.h / c.u,
             {{"n", n}, {"i", kept.inputs}, {"T", c.T}, {"w", w}, {"h", c.h}, {"u", c.u}});
    if (stay) {
      // Of the layers behind the first, less the gradient that the first layer's backward counts as its own.
      sink.add({"checkpoint_gradients", "Gradients of layer inputs, kept by FSDP's hooks",
                "max(0, n * i - 2) * T * w * h / u",
                "torch/distributed/fsdp/_runtime_utils.py _register_post_backward_reshard_only_hook on reentrant "
                "checkpoints"},
               Category::transient, c.in(at(Phase::reduce)), std::max(0.0, n * kept.inputs - 2) * c.T * w * c.h / c.u,
               {{"n", n}, {"i", kept.inputs}, {"T", c.T}, {"w", w}, {"h", c.h}, {"u", c.u}});
    }
  }
}

/// The first layer is the last to lose its saved tensors: all of them, in one line, since the others name them.
template <class Sink>
void count_first_layer(const MemoryContext& c, LayerKind kind, Sink& sink) {
  PhaseTotals layer;
  layer_activations(c, {1, Category::activations, at(Phase::reduce)}, kind, dropped_modules(c.training()), layer);
  const double B = layer.totals[static_cast<std::size_t>(Phase::reduce)].value;
  sink.add({"first_layer", "Saved tensors of the first layer", "B", "the sum of one layer's lines"},
           Category::transient, c.in(at(Phase::reduce)), B, {{"B", B}});
}

/// What recompute changes: tensors that layers keep until their backward.
template <class Layers, class Sink>
void count_kept_layers(const MemoryContext& c, Layers&& layers, Sink& sink) {
  const bool cross = c.model().kind == ModelKind::encoder_decoder;
  const LayerKind decoder = cross ? LayerKind::decoder_with_cross_attention : LayerKind::dense;
  count_layer_activations(c, c.held.dense, decoder, layers, sink);
  count_layer_activations(c, c.held.moe, LayerKind::moe, layers, sink);
  count_layer_activations(c, c.held.encoder, LayerKind::encoder, layers, sink);
  count_layer_activations(c, c.held.mtp, c.model().moe.used() ? LayerKind::moe : LayerKind::dense, layers, sink);
}

template <class Sink>
void count_kept_layers(const MemoryContext& c, Sink& sink) {
  const auto layers = [&](const SavedSet& set, LayerKind kind) {
    layer_activations(c, set, kind, dropped_modules(c.training()), sink);
  };
  count_kept_layers(c, layers, sink);
}

[[nodiscard]] inline RebuiltFrom rebuilt_from(const MemoryContext& c) {
  const bool cross = c.model().kind == ModelKind::encoder_decoder;
  return {.layers = kept_layers(c).rebuilt,
          .widest = c.stage.moe_layers > 0 ? LayerKind::moe
                    : cross                ? LayerKind::decoder_with_cross_attention
                                           : LayerKind::dense,
          .has_layers = c.stage.blocks() > 0,
          .alive = c.in(at(Phase::backward) | at(Phase::reduce))};
}

/// Rebuilding keeps the tensors of one group of layers alive while its backward runs: the widest kind counts.
template <class Sink>
void count_rebuilt_layers(const MemoryContext& c, Sink& sink) {
  const RebuiltFrom from = rebuilt_from(c);
  layer_activations(c, {from.layers, Category::transient, from.alive}, from.widest, {}, sink);
  if (from.layers == 0 && from.has_layers) count_first_layer(c, from.widest, sink);
  if (from.has_layers) rebuilt_modules(c, from.widest, dropped_modules(c.training()), sink);
}

/// What lies before, between and behind the layers.
template <class Sink>
void count_other_activations(const MemoryContext& c, Sink& sink) {
  const Phases alive = c.in(during(Phase::forward, Phase::backward));
  if (c.training().attention_mask) {
    const double n = c.flight.activation_sets, b = static_cast<double>(c.training().micro_batch_size);
    sink.add({"attention_mask", "Attention mask of the data loader", "n * b * s * s",
              "Megatron-LM megatron/core/datasets/gpt_dataset.py: a boolean b x 1 x s x s tensor"},
             Category::activations, alive, n * b * c.s * c.s, {{"n", n}, {"b", b}, {"s", c.s}});
  }
  if (c.stage.embedding && c.model().vocab > 0) {
    sink.add({"token_ids", "Token ids and labels, int64", "n * T * 16", "torch.long inputs of the embedding and loss"},
             Category::activations, alive, c.flight.activation_sets * c.T * 16,
             {{"n", c.flight.activation_sets}, {"T", c.T}});
    const auto d = static_cast<double>(c.training().document_length);
    if (d > 0) {
      const auto b = static_cast<double>(c.training().micro_batch_size);
      sink.add({"document_bounds", "Document bounds and positions", "n * (8 * T + 8 * (T / d + b))",
                "transformers modeling_flash_attention_utils.py: int64 position_ids; cu_seqlens of queries and keys"},
               Category::activations, alive, c.flight.activation_sets * (8 * c.T + 8 * (c.T / d + b)),
               {{"n", c.flight.activation_sets}, {"T", c.T}, {"d", d}, {"b", b}});
    }
    if (c.training().dropout) {
      sink.add({"embedding_dropout", "Embedding dropout mask", "n * T * h / u",
                "Korthikanti et al. 2022, arXiv:2205.05198 section 4.3"},
               Category::activations, alive, c.flight.activation_sets * c.T * c.h / c.u,
               {{"n", c.flight.activation_sets}, {"T", c.T}, {"h", c.h}, {"u", c.u}});
    }
  }
  if (c.stage.head && c.model().final_norm) {
    const Phases until_loss = c.in(during(Phase::forward, Phase::loss));  // gone when the last layer's backward runs
    if (c.model().norm == Norm::rmsnorm && !c.training().fused_norm && !c.adapted()) {
      const double v = c.stream_bytes();
      sink.add({"final_norm", "Final norm: fp32 input, normalised, output", "T * (4 + v + w) * h / u", hf_source},
               Category::activations, until_loss, c.T * (4 + v + c.w) * c.h / c.u,
               {{"T", c.T}, {"v", v}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
    } else {
      const double v = c.stream_bytes();
      sink.add({"final_norm", "Final norm input and output", "T * (v + w) * h / u",
                "Korthikanti et al. 2022, arXiv:2205.05198 section 4.3"},
               Category::activations, until_loss, c.T * (v + c.w) * c.h / c.u,
               {{"T", c.T}, {"v", v}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
    }
    const double statistics = c.model().norm == Norm::rmsnorm ? 4 : 8;
    sink.add({"final_norm_statistics", "Statistics of the final norm, fp32", "T * z / u", te_source},
             Category::activations, until_loss, c.T * statistics / c.u, {{"T", c.T}, {"z", statistics}, {"u", c.u}});
  }
  if (c.mixed() && c.engine.mixed_weights == MixedWeights::autocast) {
    // Each Linear saves the 16-bit copy that autocast made of its weight; embeddings, norms and biases have none.
    const double head = c.stage.head ? c.V * static_cast<double>(c.model().token_width()) : 0;
    const ModelShape& m = c.model();
    const double biases = (m.bias_qkv ? (c.a + 2 * c.k) * c.q : 0) + (m.bias_mlp && !m.moe.used() ? c.g * c.f : 0);
    const double cut = static_cast<double>(c.stage.blocks()) * biases / c.t;  // counted among the matrices
    const double layers = c.adapted() ? c.trained() : c.rank.matrices + c.rank.experts - cut;
    const auto copies = [&](double P, Phases phases) {
      sink.add({"autocast_copies", "16-bit weight copies of autocast", "2 * P",
                "torch/amp/autocast_mode.py weight cache; saved by each Linear for its backward"},
               Category::activations, c.in(phases), 2 * P, {{"P", P}});
    };
    copies(layers, at(Phase::forward) | at(Phase::backward));
    if (c.stage.blocks() > 0) copies(layers / static_cast<double>(c.stage.blocks()), at(Phase::reduce));
    if (c.stage.head)
      copies(layers + (c.adapted() ? 0 : head), at(Phase::loss));  // the head's is gone after its backward
  }
}

template <class Sink>
void count_activations(const MemoryContext& c, Sink& sink) {
  count_kept_layers(c, sink);
  count_rebuilt_layers(c, sink);
  count_other_activations(c, sink);
}

}  // namespace meshgauge
