// The sizes that a rank's kernels see, as doubles, and the bytes that memory-bound kernels move in each kernel style.
#pragma once

#include <algorithm>

#include "core/engine/engine.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Sizes of one rank's kernels for one micro-batch, under the papers' letters.
struct WorkSizes {
  double T;   ///< tokens of a micro-batch on this rank: s b / c
  double Tu;  ///< tokens of the sequence-parallel parts: T / t with sequence parallelism, else T
  double s, b, c, t;
  double h, a, k;  ///< hidden, heads, KV heads (at least one on each rank, so never below t)
  double qk, dv;   ///< head widths of query-key and value
  double w;        ///< bytes of an activation element
  double causal;   ///< 1 if the attention is masked
};

[[nodiscard]] inline WorkSizes work_sizes(const Scenario& scenario) {
  const ModelShape& m = scenario.model;
  const Parallelism& p = scenario.parallelism;
  const auto t = static_cast<double>(p.tensor);
  const double T = scenario.tokens_per_micro_batch();
  const auto head_dim = static_cast<double>(m.head_dim);
  return {
      .T = T,
      .Tu = p.sequence_parallel ? T / t : T,
      .s = static_cast<double>(scenario.training.sequence_length),
      .b = static_cast<double>(scenario.training.micro_batch_size * scenario.training.sequences_per_sample()),
      .c = static_cast<double>(p.context),
      .t = t,
      .h = static_cast<double>(m.hidden),
      .a = static_cast<double>(m.heads),
      .k = static_cast<double>(std::max(m.kv_heads, p.tensor)),
      .qk = m.mla.used() ? static_cast<double>(m.mla.qk_nope_head_dim + m.mla.qk_rope_head_dim) : head_dim,
      .dv = m.mla.used() ? static_cast<double>(m.mla.v_head_dim) : head_dim,
      .w = activation_bytes(scenario.training.precision),
      .causal = m.kind == ModelKind::decoder || m.kind == ModelKind::encoder_decoder ? 1.0 : 0.0,
  };
}

/// Bytes that each memory-bound pass moves, per element it works on, for 16-bit activations.
struct PassStyle {
  double norm, residual, dropout;  ///< per hidden element
  double gated, plain;             ///< activation function, per element of the MLP width
  double rope;                     ///< rotation and layout of q and k, per element
  double score, score_backward;    ///< unfused attention: scale, mask, softmax, dropout, per score
  double loss, loss_backward;      ///< per logit
  double backward;                 ///< backward bytes over forward bytes
  double norm_kernels, activation_kernels, rope_kernels, projections;  ///< launches; GEMMs that a packed one stands for
};

/// Bytes counted as the tensors that each kernel reads and writes. Fused: Transformer Engine and Megatron fusions read
/// and write each tensor once. Eager: Hugging Face modeling_llama.py, where RMSNorm runs as six kernels through fp32
/// copies, SwiGLU and rotary embedding as several; LayerNorm is one kernel in PyTorch itself. The loss: fp32 copy,
/// softmax and gradient of each logit, in the passes of megatron/core/tensor_parallel/cross_entropy.py or of
/// torch.nn.functional.cross_entropy.
[[nodiscard]] inline PassStyle pass_style(const Scenario& scenario) {
  const bool rms = scenario.model.norm == Norm::rmsnorm;
  const bool own_norm = rms && !scenario.training.fused_norm;
  const bool rotates = scenario.model.position == Position::rope;
  PassStyle style{.norm = 4,
                  .residual = 6,
                  .dropout = 1,
                  .gated = 6,
                  .plain = 4,
                  .rope = 4,
                  .score = 12,
                  .score_backward = 18,
                  .loss = 38,
                  .loss_backward = 16,
                  .backward = 2.0,
                  .norm_kernels = 1,
                  .activation_kernels = 1,
                  .rope_kernels = 2,
                  .projections = 1};
  if (scenario.training.kernels == Kernels::compiled) {
    style.residual = 4;
    style.loss = 10;
    style.loss_backward = 8;
    style.backward = 1.9;
    style.rope_kernels = 1;
  } else if (scenario.training.kernels == Kernels::eager) {
    style.norm = own_norm ? 43 : rms ? 4 : 6;
    style.dropout = 5;
    style.gated = 10;
    style.rope = rotates ? 24 : 4;
    style.score = 28;
    style.score_backward = 32;
    style.loss = 26;
    style.backward = 1.7;
    style.norm_kernels = own_norm ? 6 : 1;
    style.activation_kernels = 2;
    style.rope_kernels = 8;
    style.projections = 2;
  }
  if (scenario.training.loss != Loss::unfused) {  // one kernel reads the logits and writes their gradient
    style.loss = 8;
    style.loss_backward = 6;
  }
  return style;
}

}  // namespace meshgauge
