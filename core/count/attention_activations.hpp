// What the attention block of one layer keeps for the backward pass, tensor by tensor.
#pragma once

#include "core/count/memory_context.hpp"

namespace meshgauge {

/// Where and when a set of layers' saved tensors is alive: `n` layers (times micro-batches in flight).
struct SavedSet {
  double n;
  Category category;
  Phases phases;
};

inline constexpr const char* te_source =
    "Transformer Engine module/layernorm_linear.py, attention; Korthikanti et al. 2022, arXiv:2205.05198 section 4";
inline constexpr const char* hf_source =
    "Hugging Face modeling_llama.py in eager mode; stas00/ml-engineering activation-memory-per-layer.py";

/// Multi-head latent attention: DeepSeek-V2, arXiv:2405.04434 section 2.1, as Megatron-LM multi_latent_attention.py.
template <class Sink>
void latent_attention_activations(const MemoryContext& c, const SavedSet& set, bool keep_up_projection, Sink& sink) {
  const LatentAttention& l = c.model().mla;
  const auto ql = static_cast<double>(l.q_lora_rank), kl = static_cast<double>(l.kv_lora_rank);
  const auto pe = static_cast<double>(l.qk_rope_head_dim), vd = static_cast<double>(l.v_head_dim);
  const double qk = static_cast<double>(l.qk_nope_head_dim) + pe;
  constexpr const char* source = "Megatron-LM core/transformer/multi_latent_attention.py; arXiv:2405.04434 section 2.1";
  sink.add({"mla_latents", "Latent query, key and value", "n * T * w * (2 * ql + 2 * kl + pe) / u", source},
           set.category, set.phases, set.n * (c.T * c.w * (2 * ql + 2 * kl + pe) / c.u),
           {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"ql", ql}, {"kl", kl}, {"pe", pe}, {"u", c.u}});
  if (keep_up_projection) {
    sink.add({"attention_qkv", "Query, key, value", "n * T * w * a * (2 * qk + vd) / t", source}, set.category,
             set.phases, set.n * (c.T * c.w * c.a * (2 * qk + vd) / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"a", c.a}, {"qk", qk}, {"vd", vd}, {"t", c.t}});
  }
  sink.add({"attention_output", "Attention output", "n * T * w * a * vd / t", source}, set.category, set.phases,
           set.n * (c.T * c.w * c.a * vd / c.t),
           {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"a", c.a}, {"vd", vd}, {"t", c.t}});
}

template <class Sink>
void grouped_attention_activations(const MemoryContext& c, const SavedSet& set, Sink& sink) {
  const bool eager = c.training().kernels == Kernels::eager;
  const bool flash = c.training().attention == Attention::flash || c.training().attention == Attention::cudnn;
  const bool unfused = c.training().attention == Attention::unfused;
  if (unfused || (eager && !flash)) {
    // Keys and values are expanded to all heads (repeat_kv; Megatron-LM core/transformer/dot_product_attention.py
    // repeat_interleave). sdpa keeps its output and, transposed, what the output
    // projection reads; the plain product's own output is dropped.
    sink.add({"attention_qkv", "Query, key, value (expanded)", "n * T * w * 3 * a * q / t", hf_source}, set.category,
             set.phases, set.n * (c.T * c.w * 3 * c.a * c.q / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"a", c.a}, {"q", c.q}, {"t", c.t}});
    const bool reads_copy = c.keeps_input(c.adapts_attention_output());
    const double o = unfused || !reads_copy ? 1 : 2;
    sink.add({"attention_output", o == 1 ? "Attention output" : "Attention output and its transpose",
              "n * T * w * o * a * q / t", hf_source},
             set.category, set.phases, set.n * (c.T * c.w * o * c.a * c.q / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"o", o}, {"a", c.a}, {"q", c.q}, {"t", c.t}});
  } else {
    sink.add({"attention_qkv", "Query, key, value", "n * T * w * (a + 2 * k) * q / t", eager ? hf_source : te_source},
             set.category, set.phases, set.n * (c.T * c.w * (c.a + 2 * c.k) * c.q / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"a", c.a}, {"k", c.k}, {"q", c.q}, {"t", c.t}});
    // flash-attn wants b x s x heads, Transformer Engine holds s x b x heads: above one sequence the kernel's output
    // is copied to the other order, and both are kept.
    const bool reordered = has_megatron_layers(c.training().engine) && c.training().attention == Attention::flash &&
                           c.training().micro_batch_size > 1;
    // Ulysses keeps the kernel's output by heads and, exchanged, by sequence for the output projection.
    const bool exchanged = c.parallelism().context > 1 && c.parallelism().context_kind == ContextParallelKind::ulysses;
    // Under fp8 the output projection keeps its input quantised, beside the 16-bit output that attention keeps.
    const double quantised = c.input_bytes < c.w ? c.input_bytes / c.w : 0;
    const double o = (reordered || exchanged ? 2 : 1) + quantised;
    sink.add({"attention_output", "Attention output", "n * T * w * o * a * q / t", eager ? hf_source : te_source},
             set.category, set.phases, set.n * (c.T * c.w * o * c.a * c.q / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"o", o}, {"a", c.a}, {"q", c.q}, {"t", c.t}});
  }
  if (c.model().qk_norm != QkNorm::none) {
    // Fused: the mixed projection stays alive. Eager: fp32 copy, 16-bit normalised, output, as for any RMSNorm.
    const double bytes = eager ? 3 * c.w : c.w;
    const double kv = eager ? c.k : 2 * c.k;
    sink.add({"qk_norm", "Query and key norms", "n * T * w * (a + k) * q / t", eager ? hf_source : te_source},
             set.category, set.phases, set.n * (c.T * bytes * (c.a + kv) * c.q / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", bytes}, {"a", c.a}, {"k", kv}, {"q", c.q}, {"t", c.t}});
  }
}

/// Scores without FlashAttention. Bytes per score: Korthikanti 2 softmax + 1 mask + 2 dropped; eager softmax is fp32.
template <class Sink>
void score_activations(const MemoryContext& c, const SavedSet& set, Sink& sink) {
  const bool eager = c.training().kernels == Kernels::eager;
  // GPT-2's softmax is in the scores' format; under autocast every softmax is fp32.
  const bool wide = eager && c.w == 2 && (!c.gpt2_modules() || c.fp32_stream());
  const double softmax = wide ? 4 : c.w;
  const double dropped = c.training().dropout ? 1 + c.w : (wide ? c.w : 0);
  sink.add({"attention_scores", "Attention scores", "n * T * b * a * s / t",
            "Korthikanti et al. 2022, arXiv:2205.05198 section 4.1: 5 a s / h; eager fp32 softmax"},
           set.category, set.phases, set.n * (c.T * (softmax + dropped) * c.a * c.s / c.t),
           {{"n", set.n}, {"T", c.T}, {"b", softmax + dropped}, {"a", c.a}, {"s", c.s}, {"t", c.t}});
}

template <class Sink>
void attention_activations(const MemoryContext& c, const SavedSet& set, const RecomputeModules& dropped, Sink& sink) {
  if (c.model().mla.used()) {
    latent_attention_activations(c, set, !dropped.mla_up_projection, sink);
  } else {
    grouped_attention_activations(c, set, sink);
  }
  if (c.training().attention != Attention::unfused) {
    sink.add({"attention_statistics", "Softmax statistics, fp32", "n * T * 4 * a / t",
              "FlashAttention-2, arXiv:2307.08691 section 3.1: log-sum-exp for each row and head"},
             set.category, set.phases, set.n * (c.T * 4 * c.a / c.t),
             {{"n", set.n}, {"T", c.T}, {"a", c.a}, {"t", c.t}});
  } else if (!dropped.core_attention) {
    score_activations(c, set, sink);
  }
}

}  // namespace meshgauge
