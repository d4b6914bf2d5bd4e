// The kernels of an attention block, as one rank runs them.
#pragma once

#include "core/count/flops_emitter.hpp"

namespace meshgauge::ops {

/// Scores that flash attention computes for one head and sequence. Kernels work in tiles of 128 columns: those on the
/// diagonal are computed whole.
[[nodiscard]] inline double flash_scores(double s, double window, bool causal) {
  constexpr double tile = 128;
  const double all = causal ? std::min(s * s, 0.5 * s * (s + tile)) : s * s;
  if (window <= 0 || window >= s) return all;
  return std::min(all, causal ? s * window - 0.5 * window * (window - tile) : s * std::min(s, 2 * window));
}

/// The same with documents of `document` tokens packed into the sequence, which do not see each other (flash_attn's
/// varlen interface, cu_seqlens). 0: one document.
[[nodiscard]] inline double packed_scores(double s, double document, double window, bool causal) {
  if (document <= 0 || document >= s) return flash_scores(s, window, causal);
  return s / document * flash_scores(document, window, causal);
}

/// Softmax attention of `causal` kind between s queries and s keys, over all heads of the rank.
template <class Sink>
void attention_core(Emitter<Sink>& e, const char* id, bool causal, bool windowed) {
  const WorkSizes& z = e.z;
  const ModelShape& m = e.scenario.model;
  const double heads = z.b * z.a / z.t / z.c;  // each context rank takes an equal part of the work
  if (e.scenario.training.attention == Attention::unfused) {
    const double scores = heads * z.s * z.s;
    const double flops = 2 * scores * (z.qk + z.dv);
    const double bytes = scores * z.w / 2;
    e.sink(Op{.id = id,
              .kind = OpKind::attention,
              .module = OpModule::core_attention,
              .k = (z.qk + z.dv) / 2,
              .flops = flops,
              .backward_flops = 2 * flops,
              .bytes = e.style.score * bytes,
              .backward_bytes = e.style.score_backward * bytes,
              .kernels = 4,
              .backward_kernels = 7});
    return;
  }
  // Layers of both widths are told apart only by their number, so each layer is priced as the mean of all.
  const double local =
      windowed && m.layers > 0 ? static_cast<double>(m.local_layers) / static_cast<double>(m.layers) : 0;
  const auto document = static_cast<double>(e.scenario.training.document_length);
  double scores = (1 - local) * packed_scores(z.s, document, 0, causal);
  if (local > 0) scores += local * packed_scores(z.s, document, static_cast<double>(m.window), causal);
  const double flops = 2 * heads * scores * (z.qk + z.dv);
  e.sink(Op{.id = id,
            .kind = OpKind::attention,
            .module = OpModule::core_attention,
            .k = (z.qk + z.dv) / 2,
            .flops = flops,
            .backward_flops = 2.5 * flops,
            .backward_kernels = 3});
}

template <class Sink>
void grouped_query_attention(Emitter<Sink>& e, bool causal) {
  const WorkSizes& z = e.z;
  e.gemm("qkv", z.T, (z.a + 2 * z.k) * z.qk / z.t, z.h, OpModule::other, 2 * e.style.projections - 1);
  const double rotated = (z.a + z.k) * z.qk / z.t * z.T;
  e.pass("rope", e.style.rope * rotated, OpModule::other, e.style.rope_kernels);
  if (e.scenario.model.qk_norm != QkNorm::none) {
    e.pass("qk_norm", e.style.norm * rotated, OpModule::other, 2 * e.style.norm_kernels);
  }
  attention_core(e, "attention_core", causal, true);
  e.gemm("attention_out", z.T, z.h, z.a * z.dv / z.t);
}

/// DeepSeek-V2, arXiv:2405.04434 section 2.1; Megatron-LM core/transformer/multi_latent_attention.py: the
/// down-projections are whole on every tensor rank and see its share of the sequence.
template <class Sink>
void latent_attention(Emitter<Sink>& e, bool causal) {
  const WorkSizes& z = e.z;
  const LatentAttention& l = e.scenario.model.mla;
  const auto query_rank = static_cast<double>(l.q_lora_rank), key_rank = static_cast<double>(l.kv_lora_rank);
  const auto nope = static_cast<double>(l.qk_nope_head_dim), rotated = static_cast<double>(l.qk_rope_head_dim);
  if (query_rank > 0) {
    e.gemm("q_down", z.Tu, query_rank, z.h);
    e.pass("latent_norm", e.style.norm * query_rank * z.Tu, OpModule::mla_up_projection, e.style.norm_kernels);
    e.gemm("q_up", z.T, z.a * z.qk / z.t, query_rank, OpModule::mla_up_projection);
  } else {
    e.gemm("query", z.T, z.a * z.qk / z.t, z.h);
  }
  e.gemm("kv_down", z.Tu, key_rank + rotated, z.h);
  e.pass("latent_norm", e.style.norm * key_rank * z.Tu, OpModule::mla_up_projection, e.style.norm_kernels);
  e.gemm("kv_up", z.T, z.a * (nope + z.dv) / z.t, key_rank, OpModule::mla_up_projection);
  e.pass("rope", e.style.rope * 2 * z.a * z.qk / z.t * z.T, OpModule::mla_up_projection, e.style.rope_kernels);
  attention_core(e, "attention_core", causal, true);
  e.gemm("attention_out", z.T, z.h, z.a * z.dv / z.t);
}

/// MiniMax-01, arXiv:2501.08313 section 2.2 (lightning attention): per token and head a d x d state is updated and
/// read, and inside blocks of 256 the masked scores are computed. q, k, v and an output gate have query width.
template <class Sink>
void linear_attention(Emitter<Sink>& e) {
  const WorkSizes& z = e.z;
  constexpr double block = 256;
  const double width = z.a * z.qk / z.t;
  e.gemm("qkv", z.T, 4 * width, z.h, OpModule::other, 2 * e.style.projections - 1);
  const double flops = 2 * z.T * width * (2 * z.qk + block);
  e.sink(Op{.id = "attention_core",
            .kind = OpKind::attention,
            .module = OpModule::core_attention,
            .k = z.qk,
            .flops = flops,
            .backward_flops = 2.5 * flops,
            .backward_kernels = 3});
  e.pass("qk_norm", e.style.norm * width * z.T, OpModule::other, e.style.norm_kernels);
  e.gemm("attention_out", z.T, z.h, width);
}

/// T5: queries of the decoder on keys and values of the encoder, no mask.
template <class Sink>
void cross_attention(Emitter<Sink>& e) {
  const WorkSizes& z = e.z;
  e.norms(1, z.h);
  e.gemm("cross_query", z.T, z.a * z.qk / z.t, z.h);
  e.gemm("cross_key_value", z.T, 2 * z.k * z.qk / z.t, z.h);
  attention_core(e, "cross_attention_core", false, false);
  e.gemm("cross_attention_out", z.T, z.h, z.a * z.dv / z.t);
}

}  // namespace meshgauge::ops
