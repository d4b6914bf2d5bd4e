// FLOP totals of a step, in the conventions that papers and engines use.
#include "core/count/flops.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

double number(std::int64_t n) { return static_cast<double>(n); }

/// Multiply-adds of one layer's forward for one token. All are whole numbers or halves, so sums of them are exact.
struct LayerWork {
  double projections = 0;     ///< matrices of the attention block
  double mlp = 0;             ///< dense MLP, or top-k and shared experts
  double core = 0;            ///< scores and their product with the values, without a causal mask
  double causal_core = 0;     ///< of that, what a causal mask leaves
  double executed_core = 0;   ///< what the kernel computes of it
  double up_projections = 0;  ///< of latent attention: what selective recompute can run again
};

double grouped_query_projections(const ModelShape& m) {
  const double query = number(m.heads * m.head_dim), key = number(m.kv_heads * m.head_dim), h = number(m.hidden);
  return h * (query + 2 * key) + query * h;
}

/// training.py, multi-latent attention; the "+ 1" are the latent norms, which that formula counts.
void add_latent_projections(const ModelShape& m, LayerWork& work) {
  const LatentAttention& l = m.mla;
  const double h = number(m.hidden), a = number(m.heads);
  const double query = a * number(l.qk_nope_head_dim + l.qk_rope_head_dim);
  const double key_value = a * number(l.qk_nope_head_dim + l.v_head_dim);
  const double query_rank = number(l.q_lora_rank), key_rank = number(l.kv_lora_rank);
  work.projections = (query_rank > 0 ? query_rank * (h + query + 1) : h * query) + key_rank * (h + key_value + 1) +
                     h * number(l.qk_rope_head_dim) + a * number(l.v_head_dim) * h;
  work.up_projections = (query_rank > 0 ? query_rank * query : 0) + key_rank * key_value;
}

/// Share of the full square that flash attention computes; whole tiles on the diagonal are not counted here.
double visible_share(double s, double window, bool causal) {
  if (window <= 0 || window >= s) return causal ? 0.5 : 1;
  return causal ? (s * window - window * window / 2) / (s * s) : std::min(1.0, 2 * window / s);
}

void add_core(const Scenario& scenario, double s, double width, bool causal, bool windowed, LayerWork& work) {
  const ModelShape& m = scenario.model;
  const double core = s * width;
  const double local = windowed && m.layers > 0 ? number(m.local_layers) / number(m.layers) : 0;
  const double d = number(scenario.training.document_length);
  const bool packed = d > 0 && d < s;  // documents see themselves alone: d / s of the square
  const double side = packed ? d : s;
  const auto share = [&](bool masked) {
    return side / s *
           ((1 - local) * visible_share(side, 0, masked) + local * visible_share(side, number(m.window), masked));
  };
  // Papers give no convention for windows: what lies outside them is no work of the model under either.
  work.core += core * share(false);
  work.causal_core += core * share(causal);
  work.executed_core += scenario.training.attention == Attention::unfused ? core : core * share(causal);
}

LayerWork layer_work(const Scenario& scenario, LayerKind kind, AttentionKind attention) {
  const ModelShape& m = scenario.model;
  const double h = number(m.hidden), a = number(m.heads), s = number(scenario.training.sequence_length);
  const bool causal = work_sizes(scenario).causal == 1 && kind != LayerKind::encoder;
  LayerWork work;
  if (attention == AttentionKind::linear) {  // no mask to halve: state update and read-out for each token
    const double width = a * number(m.head_dim);
    work.projections = 5 * h * width;
    work.core = work.causal_core = work.executed_core = 2 * width * number(m.head_dim);
  } else if (m.mla.used()) {
    add_latent_projections(m, work);
    add_core(scenario, s, a * number(m.mla.qk_nope_head_dim + m.mla.qk_rope_head_dim + m.mla.v_head_dim), causal, true,
             work);
  } else {
    work.projections = grouped_query_projections(m);
    add_core(scenario, s, 2 * a * number(m.head_dim), causal, true, work);
  }
  if (kind == LayerKind::decoder_with_cross_attention) {
    work.projections += grouped_query_projections(m);
    add_core(scenario, s, 2 * a * number(m.head_dim), false, false, work);
  }
  const double matrices = number(m.mlp_matrices());
  work.mlp = kind == LayerKind::moe ? h * matrices * (number(m.moe.expert_ffn * m.moe.top_k) + number(m.moe.shared_ffn))
                                    : h * matrices * number(m.ffn);
  return work;
}

/// Multiply-adds of one layer's forward that selective recompute runs again.
double selected_work(const Scenario& scenario, LayerKind kind, const LayerWork& work, double core) {
  const RecomputeModules& modules = scenario.training.recompute_modules;
  if (modules.operators) return 0.5 * (work.projections + work.mlp);
  return (modules.core_attention ? core : 0) + (modules.mlp && kind != LayerKind::moe ? work.mlp : 0) +
         (modules.mla_up_projection ? work.up_projections : 0);
}

}  // namespace

double recomputed_share(const Scenario& scenario, const StageShape& stage) {
  const Training& training = scenario.training;
  if (training.recompute != Recompute::full || stage.blocks() == 0) return 0;
  if (training.recompute_method == RecomputeMethod::uniform) return 1;
  const std::int64_t chunks = model_chunks(scenario.parallelism) / scenario.parallelism.pipeline;
  const double again = number(training.recompute_layers * std::max<std::int64_t>(chunks, 1));
  return std::min(1.0, again / number(stage.blocks()));
}

StepFlops step_flops(const Scenario& scenario) {
  const ModelShape& m = scenario.model;
  const double h = number(m.hidden);
  const StageShape model = whole_model(m);
  double matrices = 0, causal = 0, full = 0, executed = 0;
  double layers = 0;  // what full recompute runs again, without the core
  double selected = 0, selected_in_full = 0;
  const auto add = [&](LayerKind kind, AttentionKind attention, std::int64_t count) {
    const LayerWork work = layer_work(scenario, kind, attention);
    const double n = number(count);
    matrices += n * (work.projections + work.mlp);
    causal += n * work.causal_core;
    full += n * work.core;
    executed += n * work.executed_core;
    layers += n * (work.projections + work.mlp);
    selected += n * selected_work(scenario, kind, work, work.executed_core);
    selected_in_full += n * selected_work(scenario, kind, work, work.core);
  };
  for_each_layer_kind(m, model, add);
  if (m.mtp_depth > 0) {  // each a layer like the last one, two norms and the projection of both inputs
    add(m.is_moe_layer(m.layers - 1) ? LayerKind::moe : LayerKind::dense, AttentionKind::softmax, m.mtp_depth);
    matrices += number(m.mtp_depth) * (3 * h + 2 * h * h);
  }
  matrices += number(m.token_width()) * number(scenario.padded_vocab()) * (1 + number(m.mtp_depth));
  matrices += 2 * h * number(m.embedding_width);  // from the table's width to the layers' and back

  StepFlops::Token token;
  // A frozen base has no weight gradients: forward and input gradients alone.
  token.matrix_passes = scenario.training.peft == Peft::none ? 6 : 4;
  // A backward does twice the forward's products; flash attention's 2.5 times, since it computes the scores again.
  token.core_passes = scenario.training.attention == Attention::unfused ? 6 : 7;
  token.core = full;
  token.causal_core = causal;
  token.executed_core = executed;
  if (scenario.training.recompute == Recompute::full) {
    double share = 1;
    if (scenario.training.recompute_method == RecomputeMethod::block) {
      double again = 0;
      for (std::int64_t i = 0; i < scenario.parallelism.pipeline; ++i) {
        const StageShape stage = stage_shape(scenario, i);
        again += recomputed_share(scenario, stage) * number(stage.blocks());
      }
      share = std::min(1.0, again / std::max(1.0, number(model.blocks())));
    }
    token.again = share * (layers + executed);
    token.again_full_core = share * (layers + full);
  } else if (scenario.training.recompute == Recompute::selective) {
    token.again = selected;
    token.again_full_core = selected_in_full;
  }
  double images = 0;  // patch embedding: forward and weight gradient, images need none
  if (m.kind == ModelKind::vit) images = 4 * 3 * number(m.patch * m.patch) * h;
  token.matrices = matrices + images / token.matrix_passes;

  const double tokens = scenario.tokens_per_step();
  const double products = token.matrix_passes * matrices;
  return {.model_causal = tokens * (products + 6 * causal + images),
          .model_full = tokens * (products + 6 * full + images),
          .hardware = tokens * (products + token.core_passes * executed + 2 * token.again + images),
          .hardware_full = tokens * (products + 6 * full + 2 * token.again_full_core + images),
          .token = token};
}

}  // namespace meshgauge
