// Parameter counts by shape. Sums of whole numbers in doubles: exact below 2^53.
#include "core/count/parameters.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

double number(std::int64_t n) { return static_cast<double>(n); }

double norm_parameters(const ModelShape& m) { return m.norm_weight ? number(m.hidden) * (m.norm_bias ? 2 : 1) : 0; }

/// Multi-head, grouped- or multi-query attention with softmax.
void add_softmax_attention(const ModelShape& m, LayerParameters& layer) {
  const double h = number(m.hidden);
  const double query_width = number(m.heads * m.head_dim);
  const double key_width = number(m.kv_heads * m.head_dim);
  layer.attention_sharded += 2 * h * query_width;
  layer.key_value += 2 * h * key_width;
  if (m.bias_qkv) {
    layer.attention_sharded += query_width;
    layer.key_value += 2 * key_width;
  }
  if (m.bias_attn_out) layer.attention_vectors += h;
  if (m.attention_sinks) layer.attention_sharded += number(m.heads);
  if (m.qk_norm == QkNorm::head) layer.attention_vectors += 2 * number(m.head_dim);
  if (m.qk_norm == QkNorm::full) layer.attention_vectors += query_width + key_width;
}

/// DeepSeek-V2 (arXiv:2405.04434) section 2.1.2; latent norms as in the published checkpoints.
void add_latent_attention(const ModelShape& m, LayerParameters& layer) {
  const double h = number(m.hidden);
  const double query_width = number(m.heads * (m.mla.qk_nope_head_dim + m.mla.qk_rope_head_dim));
  const double query_rank = number(m.mla.q_lora_rank);
  const double key_rank = number(m.mla.kv_lora_rank);
  if (m.mla.q_lora_rank > 0) {
    layer.attention_replicated += h * query_rank;
    layer.attention_vectors += query_rank;
    layer.attention_sharded += query_rank * query_width;
  } else {
    layer.attention_sharded += h * query_width;
  }
  layer.attention_replicated += h * (key_rank + number(m.mla.qk_rope_head_dim));
  layer.attention_vectors += key_rank;
  layer.attention_sharded += key_rank * number(m.heads * (m.mla.qk_nope_head_dim + m.mla.v_head_dim));
  layer.attention_sharded += number(m.heads * m.mla.v_head_dim) * h;
}

/// MiniMax-01 (arXiv:2501.08313) lightning attention: q, k, v, an output gate and the output matrix, all of query
/// width, and a norm over it.
void add_linear_attention(const ModelShape& m, LayerParameters& layer) {
  const double width = number(m.heads * m.head_dim);
  layer.attention_sharded += 5 * number(m.hidden) * width;
  layer.attention_vectors += width;
}

struct MlpSize {
  double sharded = 0;     ///< matrices and column-parallel biases
  double replicated = 0;  ///< row-parallel bias
};

MlpSize mlp_parameters(const ModelShape& m, std::int64_t ffn) {
  const double matrices = number(m.mlp_matrices());
  MlpSize size{.sharded = matrices * number(m.hidden) * number(ffn)};
  if (m.bias_mlp) {
    size.sharded += (matrices - 1) * number(ffn);
    size.replicated += number(m.hidden);
  }
  return size;
}

double matrix_parameters(const LayerParameters& layer, const ModelShape& m, const Parallelism& layout) {
  return (layer.attention_sharded + layer.mlp_sharded) / number(layout.tensor) +
         layer.key_value / number(std::min(layout.tensor, m.kv_heads)) + layer.attention_replicated;
}

void add_experts(const ModelShape& m, LayerParameters& layer) {
  const double experts = number(m.moe.experts);
  const MlpSize one = mlp_parameters(m, m.moe.expert_ffn);
  layer.experts = experts * (one.sharded + one.replicated);
  layer.router = experts * (number(m.hidden) + (m.moe.router_bias ? 1 : 0));
  if (m.moe.shared_ffn > 0) {
    const MlpSize shared = mlp_parameters(m, m.moe.shared_ffn);
    layer.mlp_sharded = shared.sharded;
    layer.mlp_replicated = shared.replicated;
  }
  if (m.moe.shared_gate) layer.mlp_replicated += number(m.hidden);
}

/// What stands before the layers: `table` is cut by the vocabulary over t, `rest` is replicated.
struct EmbeddingSize {
  double table = 0;
  double rest = 0;
};

EmbeddingSize embedding_size(const ModelShape& m, std::int64_t vocab) {
  const double h = number(m.hidden);
  const double width = number(m.token_width());
  EmbeddingSize size{.table = number(vocab) * width, .rest = number(m.position_rows + m.type_rows) * h};
  if (m.embedding_width > 0) size.rest += width * h;  // project_in, without bias (transformers modeling_opt.py)
  if (m.embedding_norm) size.rest += norm_parameters(m);
  // Each stack of an encoder-decoder model shares one bias table among its layers (Raffel et al. 2020, section 2.1).
  const double stacks = m.kind == ModelKind::encoder_decoder ? 2 : 1;
  size.rest += stacks * number(m.relative_buckets * m.heads);
  if (m.kind == ModelKind::vit) size.rest += (3 * number(m.patch * m.patch) + 1) * h + h;  // patches, bias, class token
  return size;
}

double final_norm_parameters(const ModelShape& m) {
  const double stacks = m.kind == ModelKind::encoder_decoder ? 2 : 1;
  return m.final_norm ? stacks * norm_parameters(m) : 0;
}

/// The head less the matrix over the vocabulary.
double head_vectors(const ModelShape& m) {
  const double project_out = number(m.embedding_width * m.hidden);  // transformers modeling_opt.py
  return final_norm_parameters(m) + project_out + number(m.extra_parameters);
}

double head_matrix(const ModelShape& m, std::int64_t vocab) {
  if (m.vocab == 0) return 0;
  return (m.tie_embeddings ? 0 : number(vocab) * number(m.token_width())) + (m.bias_lm_head ? number(vocab) : 0);
}

/// DeepSeek-V3 (arXiv:2412.19437) section 2.2: two input norms, a projection of both inputs, a layer like the last one
/// of the model, an output norm.
LayerParameters mtp_layer(const ModelShape& m) {
  LayerParameters layer = layer_parameters(m, m.is_moe_layer(m.layers - 1) ? LayerKind::moe : LayerKind::dense);
  layer.mlp_sharded += 2 * number(m.hidden) * number(m.hidden);
  layer.norms += 3 * norm_parameters(m);
  return layer;
}

/// Calls `visit(count, layer)` for each different layer of the stage.
template <class Visit>
void for_each_layer_kind(const ModelShape& m, const StageShape& stage, Visit visit) {
  const LayerKind dense =
      m.kind == ModelKind::encoder_decoder ? LayerKind::decoder_with_cross_attention : LayerKind::dense;
  // Where both kinds of attention and of MLP occur, only their numbers count: the sum is the same however they pair up.
  std::int64_t linear = stage.linear_layers;
  const auto visit_kind = [&](std::int64_t count, LayerKind kind) {
    const std::int64_t with_linear = std::min(count, linear);
    linear -= with_linear;
    if (with_linear > 0) visit(number(with_linear), layer_parameters(m, kind, AttentionKind::linear));
    if (count > with_linear) visit(number(count - with_linear), layer_parameters(m, kind));
  };
  visit_kind(stage.moe_layers, LayerKind::moe);
  visit_kind(stage.dense_layers, dense);
  if (stage.encoder_layers > 0) visit(number(stage.encoder_layers), layer_parameters(m, LayerKind::encoder));
  if (stage.mtp_layers > 0) visit(number(stage.mtp_layers), mtp_layer(m));
}

/// What a rank holds of a layer: its share of the cut parts and all of the replicated ones.
struct LayerShare {
  double dense = 0;
  double experts = 0;
  double replicated_small = 0;
};

LayerShare share_of(const LayerParameters& layer, const ModelShape& m, const Parallelism& layout) {
  const double t = number(layout.tensor);
  LayerShare share;
  share.replicated_small = layer.attention_vectors + layer.mlp_replicated + layer.norms;
  share.dense = (layer.attention_sharded + layer.mlp_sharded) / t +
                layer.key_value / number(std::min(layout.tensor, m.kv_heads)) + layer.attention_replicated +
                layer.router + share.replicated_small;
  share.experts = layer.experts / number(layout.expert * layout.expert_tensor);
  return share;
}

}  // namespace

LayerParameters layer_parameters(const ModelShape& m, LayerKind kind, AttentionKind attention) {
  LayerParameters layer;
  if (attention == AttentionKind::linear) {
    add_linear_attention(m, layer);
  } else if (m.mla.used()) {
    add_latent_attention(m, layer);
  } else {
    add_softmax_attention(m, layer);
  }
  layer.norms = number(m.norms_per_layer) * norm_parameters(m);
  if (kind == LayerKind::decoder_with_cross_attention) {
    add_softmax_attention(m, layer);
    layer.norms += norm_parameters(m);
  }
  if (kind == LayerKind::moe) {
    add_experts(m, layer);
  } else {
    const MlpSize mlp = mlp_parameters(m, m.ffn);
    layer.mlp_sharded = mlp.sharded;
    layer.mlp_replicated = mlp.replicated;
  }
  return layer;
}

double adapter_parameters(const ModelShape& m, LayerKind kind, LoraTargets targets, std::int64_t rank) {
  const double h = number(m.hidden);
  const double query = number(m.heads * m.head_dim), key = number(m.kv_heads * m.head_dim);
  double sides = 0;  // inputs + outputs of the adapted matrices
  if (m.mla.used()) {
    const LatentAttention& l = m.mla;
    const double ql = number(l.q_lora_rank), kl = number(l.kv_lora_rank), pe = number(l.qk_rope_head_dim);
    const double q_width = number(m.heads * (l.qk_nope_head_dim + l.qk_rope_head_dim));
    const double kv_width = number(m.heads * (l.qk_nope_head_dim + l.v_head_dim));
    sides = (ql > 0 ? (h + ql) + (ql + q_width) : h + q_width) + (h + kl + pe) + (kl + kv_width);
    if (targets != LoraTargets::query_value) sides += number(m.heads * l.v_head_dim) + h;
  } else {
    sides = (h + query) + (h + key);
    if (targets != LoraTargets::query_value) sides += (h + key) + (query + h);
  }
  if (kind == LayerKind::decoder_with_cross_attention) sides *= 2;
  if (targets == LoraTargets::all_linear) {
    const auto mlp = [&](std::int64_t ffn) { return number(m.mlp_matrices()) * (h + number(ffn)); };
    sides += kind == LayerKind::moe
                 ? number(m.moe.experts) * mlp(m.moe.expert_ffn) + (m.moe.shared_ffn > 0 ? mlp(m.moe.shared_ffn) : 0)
                 : mlp(m.ffn);
  }
  return number(rank) * sides;
}

double embedding_parameters(const ModelShape& m) {
  const EmbeddingSize size = embedding_size(m, m.vocab);
  return size.table + size.rest;
}

double head_parameters(const ModelShape& m) { return head_matrix(m, m.vocab) + head_vectors(m); }

double mtp_parameters(const ModelShape& m) { return m.mtp_depth == 0 ? 0 : number(m.mtp_depth) * mtp_layer(m).total(); }

double total_parameters(const ModelShape& m) {
  StageShape layers = whole_model(m);
  layers.mtp_layers = 0;
  double sum = embedding_parameters(m) + head_parameters(m);
  for_each_layer_kind(m, layers, [&](double count, const LayerParameters& layer) { sum += count * layer.total(); });
  return sum;
}

double active_parameters(const ModelShape& m) {
  if (!m.moe.used()) return total_parameters(m);
  const double expert = layer_parameters(m, LayerKind::moe).experts / number(m.moe.experts);
  const double idle = number(m.moe.experts - m.moe.top_k) * number(whole_model(m).moe_layers);
  return total_parameters(m) - idle * expert;
}

RankParameters rank_parameters(const Scenario& s, const StageShape& stage) {
  const ModelShape& m = s.model;
  const double t = number(s.parallelism.tensor);
  RankParameters rank;
  for_each_layer_kind(m, stage, [&](double count, const LayerParameters& layer) {
    const LayerShare share = share_of(layer, m, s.parallelism);
    rank.dense += count * share.dense;
    rank.experts += count * share.experts;
    rank.replicated_small += count * share.replicated_small;
    rank.matrices += count * matrix_parameters(layer, m, s.parallelism);
    rank.largest_layer = std::max(rank.largest_layer, share.dense + share.experts);
  });
  if (s.training.peft != Peft::none) {
    const LayerKind dense =
        m.kind == ModelKind::encoder_decoder ? LayerKind::decoder_with_cross_attention : LayerKind::dense;
    const auto of_layers = [&](std::int64_t count, LayerKind kind) {
      return number(count) * adapter_parameters(m, kind, s.training.lora_targets, s.training.lora_rank) / t;
    };
    rank.adapters = of_layers(stage.dense_layers, dense) + of_layers(stage.moe_layers, LayerKind::moe) +
                    of_layers(stage.encoder_layers, LayerKind::encoder);
  }

  const std::int64_t vocab = s.padded_vocab();
  const EmbeddingSize embedding = embedding_size(m, vocab);
  const bool shares_table = (stage.head && m.tie_embeddings && m.kind != ModelKind::vit) || stage.mtp_layers > 0;
  if (stage.embedding) {
    rank.outside_layers += embedding.table / t + embedding.rest;
    if (m.embedding_norm) rank.replicated_small += norm_parameters(m);
  } else if (shares_table) {
    rank.outside_layers += embedding.table / t;
  }
  if (stage.head) {
    rank.outside_layers += head_matrix(m, vocab) / t + head_vectors(m);
    rank.replicated_small += final_norm_parameters(m);
  }
  rank.dense += rank.outside_layers;
  return rank;
}

}  // namespace meshgauge
