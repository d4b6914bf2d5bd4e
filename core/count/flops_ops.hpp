// The kernels of a layer, of the head and of the embedding, as one rank runs them: templates of core/count/flops.hpp.
#pragma once

#include "core/count/flops_attention_ops.hpp"
#include "core/count/flops_emitter.hpp"
#include "core/count/parameters.hpp"
#include "core/count/stage.hpp"

namespace meshgauge {
namespace ops {

template <class Sink>
void mlp(Emitter<Sink>& e, const char* up, const char* down, double width, OpModule module) {
  const WorkSizes& z = e.z;
  const bool gated = e.scenario.model.gated();
  e.gemm(up, z.T, (gated ? 2 : 1) * width / z.t, z.h, module, gated ? e.style.projections : 1);
  e.pass("mlp_activation", (gated ? e.style.gated : e.style.plain) * width / z.t * z.T, module,
         e.style.activation_kernels);
  e.gemm(down, z.T, z.h, width / z.t, module);
}

/// Megatron-LM core/transformer/moe: router, dispatch, grouped GEMM over the local experts, combine. The fullest rank
/// works on `moe_load_factor` times the mean. Expert tensor parallelism gathers the tokens of its group.
template <class Sink>
void mixture(Emitter<Sink>& e) {
  const WorkSizes& z = e.z;
  const Scenario& scenario = e.scenario;
  const MixtureOfExperts& moe = scenario.model.moe;
  const auto experts = static_cast<double>(moe.experts), width = static_cast<double>(moe.expert_ffn);
  const auto x = static_cast<double>(scenario.parallelism.expert_tensor);
  const double local = std::max(1.0, experts / static_cast<double>(scenario.parallelism.expert));
  const double copies = z.Tu * static_cast<double>(moe.top_k) * scenario.training.expert_load();
  const double rows = scenario.parallelism.sequence_parallel ? copies * x : copies;
  const bool gated = scenario.model.gated();
  e.sink(Op{.id = "router",
            .kind = OpKind::gemm,
            .m = z.Tu,
            .n = experts,
            .k = z.h,
            .flops = 2 * z.Tu * experts * z.h,
            .backward_flops = 4 * z.Tu * experts * z.h,
            .backward_kernels = 2});
  e.weights += experts * z.h;
  e.pass("router_softmax", 16 * experts * z.Tu, OpModule::other, 4);  // fp32 logits: softmax, top-k, masked copy, map
  e.pass("permute", 4 * z.h * copies, OpModule::other, 2);
  e.grouped("experts_up", rows, local, (gated ? 2 : 1) * width / x, z.h);
  e.pass("expert_activation", (gated ? e.style.gated : e.style.plain) * width / x * rows, OpModule::moe_activation,
         e.style.activation_kernels);
  e.grouped("experts_down", rows, local, z.h, width / x);
  e.pass("unpermute", 2 * z.h * (copies + z.Tu), OpModule::other, 2);
  if (moe.shared_ffn > 0) {
    mlp(e, "shared_expert_up", "shared_expert_down", static_cast<double>(moe.shared_ffn), OpModule::other);
  }
}

}  // namespace ops

template <class Sink>
void layer_ops(const Scenario& scenario, LayerKind kind, AttentionKind attention, Sink&& sink) {
  const WorkSizes z = work_sizes(scenario);
  const PassStyle style = pass_style(scenario);
  ops::Emitter<Sink> e{scenario, z, style, sink};
  const ModelShape& m = scenario.model;
  const bool causal = z.causal == 1 && kind != LayerKind::encoder;
  const bool crosses = kind == LayerKind::decoder_with_cross_attention;

  e.norms(static_cast<double>(m.norms_per_layer), z.h);
  if (attention == AttentionKind::linear) {
    ops::linear_attention(e);
  } else if (m.mla.used()) {
    ops::latent_attention(e, causal);
  } else {
    ops::grouped_query_attention(e, causal);
  }
  if (crosses) ops::cross_attention(e);
  if (kind == LayerKind::moe) {
    ops::mixture(e);
  } else {
    ops::mlp(e, "mlp_up", "mlp_down", static_cast<double>(m.ffn), OpModule::mlp);
  }
  const double residuals = crosses ? 3 : 2;
  e.pass("residual", residuals * style.residual * z.h * z.Tu, OpModule::other, residuals);
  if (scenario.training.dropout) e.pass("dropout", residuals * style.dropout * z.h * z.Tu, OpModule::other, 0);
  if (is_mixed(scenario.training.precision) &&
      describe_engine(scenario.training.engine, scenario.parallelism.zero_stage).mixed_weights ==
          MixedWeights::autocast) {
    // torch.autocast reads each fp32 weight and writes a 16-bit copy; gradients go the other way.
    sink(Op{.id = "weight_cast",
            .kind = OpKind::memory_bound,
            .bytes = 6 * e.weights,
            .backward_bytes = 6 * e.weights,
            .kernels = 5,
            .backward_kernels = 5});
  }
}

template <class Sink>
void mtp_ops(const Scenario& scenario, Sink&& sink) {
  const WorkSizes z = work_sizes(scenario);
  const PassStyle style = pass_style(scenario);
  ops::Emitter<Sink> e{scenario, z, style, sink};
  e.norms(2, z.h);
  e.gemm("mtp_projection", z.T, z.h / z.t, 2 * z.h);
}

template <class Sink>
void head_ops(const Scenario& scenario, Sink&& sink) {
  const WorkSizes z = work_sizes(scenario);
  const PassStyle style = pass_style(scenario);
  ops::Emitter<Sink> e{scenario, z, style, sink};
  if (scenario.model.final_norm) e.norms(1, z.h);
  const double V = static_cast<double>(scenario.padded_vocab()) / z.t;
  if (V == 0) return;  // a vision backbone without classes
  const auto width = static_cast<double>(scenario.model.token_width());
  if (width != z.h) e.gemm("head_projection", z.T, width, z.h);
  sink(Op{.id = "lm_head",
          .kind = OpKind::gemm,
          .m = z.T,
          .n = V,
          .k = width,
          .flops = 2 * z.T * V * width,
          .backward_flops = 4 * z.T * V * width,
          .backward_kernels = 2});
  sink(Op{.id = "loss",
          .kind = OpKind::memory_bound,
          .bytes = style.loss * z.T * V,
          .backward_bytes = style.loss_backward * z.T * V,
          .kernels = 6,
          .backward_kernels = 4});
}

template <class Sink>
void embedding_ops(const Scenario& scenario, Sink&& sink) {
  const WorkSizes z = work_sizes(scenario);
  const double V = static_cast<double>(scenario.padded_vocab()) / z.t;
  const auto width = static_cast<double>(scenario.model.token_width());
  if (scenario.model.kind == ModelKind::vit) {
    const double pixels = 3 * static_cast<double>(scenario.model.patch * scenario.model.patch);
    sink(Op{.id = "patch_embedding",
            .kind = OpKind::gemm,
            .m = z.T,
            .n = z.h,
            .k = pixels,
            .flops = 2 * z.T * z.h * pixels,
            .backward_flops = 2 * z.T * z.h * pixels});  // images need no gradient
  }
  // Forward: rows read, positions added, written. Backward: rows added into a gradient table that is first cleared.
  sink(Op{.id = "embedding",
          .kind = OpKind::memory_bound,
          .bytes = 6 * z.h * z.T * z.w / 2,
          .backward_bytes = 8 * z.h * z.T * z.w / 2 + z.w * V * width,
          .kernels = 2,
          .backward_kernels = 2});
  if (width != z.h) {
    const PassStyle style = pass_style(scenario);
    ops::Emitter<Sink> e{scenario, z, style, sink};
    e.gemm("embedding_projection", z.T, z.h, width);
  }
}

template <class Visit>
void for_each_layer_kind(const ModelShape& m, const StageShape& stage, Visit&& visit) {
  const LayerKind dense =
      m.kind == ModelKind::encoder_decoder ? LayerKind::decoder_with_cross_attention : LayerKind::dense;
  const std::int64_t moe_linear = std::min(stage.moe_layers, stage.linear_layers);
  const std::int64_t dense_linear = std::min(stage.dense_layers, stage.linear_layers - moe_linear);
  if (moe_linear > 0) visit(LayerKind::moe, AttentionKind::linear, moe_linear);
  if (stage.moe_layers > moe_linear) visit(LayerKind::moe, AttentionKind::softmax, stage.moe_layers - moe_linear);
  if (dense_linear > 0) visit(dense, AttentionKind::linear, dense_linear);
  if (stage.dense_layers > dense_linear) visit(dense, AttentionKind::softmax, stage.dense_layers - dense_linear);
  if (stage.encoder_layers > 0) visit(LayerKind::encoder, AttentionKind::softmax, stage.encoder_layers);
}

}  // namespace meshgauge
