#include "native/step/shape.hpp"

namespace meshgauge::step {

std::optional<std::string> unsupported(const ModelShape& m) {
  if (m.kind != ModelKind::decoder) return "it is no decoder";
  if (m.moe.used()) return "it has experts";
  if (m.mla.used()) return "it has latent attention";
  if (m.activation != Activation::gelu && m.activation != Activation::swiglu)
    return "its MLP is neither GELU nor SwiGLU";
  if (m.position != Position::learned && m.position != Position::rope)
    return "its positions are neither learned nor rotary";
  if (m.norms_per_layer != 2 || !m.final_norm || !m.norm_weight)
    return "its layers do not have two norms and a last one";
  if (m.norm == Norm::rmsnorm && m.norm_bias) return "its RMSNorm has a bias";
  if (m.qk_norm != QkNorm::none || m.attention_sinks) return "its attention has norms or sinks";
  if (m.linear_per_full > 0 || m.window > 0) return "its attention is linear or local";
  if (m.embedding_width > 0 || m.embedding_norm || m.type_rows > 0) return "its embedding is not a table of full width";
  if (m.bias_lm_head || m.mtp_depth > 0 || m.extra_parameters > 0) return "its head is not one matrix";
  if (m.vocab == 0 || m.head_dim % 2 != 0) return "it has no vocabulary, or heads of odd width";
  return std::nullopt;
}

Shape shape_of(const ModelShape& m, std::size_t vocab, std::size_t sequence, std::size_t micro_batch) {
  const auto number = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {.layers = number(m.layers),
          .hidden = number(m.hidden),
          .ffn = number(m.ffn),
          .heads = number(m.heads),
          .kv_heads = number(m.kv_heads),
          .head_dim = number(m.head_dim),
          .vocab = vocab,
          .positions = number(m.position_rows),
          .tied = m.tie_embeddings,
          .gated = m.gated(),
          .centred = m.norm == Norm::layernorm,
          .bias_qkv = m.bias_qkv,
          .bias_output = m.bias_attn_out,
          .bias_mlp = m.bias_mlp,
          .bias_norm = m.norm_bias,
          .sequence = sequence,
          .micro_batch = micro_batch};
}

std::vector<std::size_t> ParameterList::of_unit(std::size_t unit) const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].unit == unit) list.push_back(i);
  }
  return list;
}

ParameterList parameters_of(const Shape& s) {
  ParameterList list;
  list.places.resize(s.layers + 1);
  for (auto& unit : list.places) unit.fill(ParameterList::absent);
  const auto add = [&](std::size_t unit, Role role, std::size_t elements) {
    list.places[unit][static_cast<std::size_t>(role)] = list.all.size();
    list.all.push_back({role, unit, elements});
  };
  const auto add_pair = [&](std::size_t unit, Role weight, std::size_t elements, Role bias, bool has_bias,
                            std::size_t width) {
    add(unit, weight, elements);
    if (has_bias) add(unit, bias, width);
  };
  const std::size_t h = s.hidden, root = s.layers;
  if (!s.tied) add(root, Role::head_weight, s.vocab * h);
  add_pair(root, Role::final_norm_weight, h, Role::final_norm_bias, s.bias_norm, h);
  for (std::size_t i = s.layers; i-- > 0;) {
    add_pair(i, Role::down_weight, h * s.ffn, Role::down_bias, s.bias_mlp, h);
    add_pair(i, Role::up_weight, s.up_width() * h, Role::up_bias, s.bias_mlp, s.up_width());
    add_pair(i, Role::norm2_weight, h, Role::norm2_bias, s.bias_norm, h);
    add_pair(i, Role::output_weight, h * s.query_width(), Role::output_bias, s.bias_output, h);
    add_pair(i, Role::qkv_weight, s.qkv_width() * h, Role::qkv_bias, s.bias_qkv, s.qkv_width());
    add_pair(i, Role::norm1_weight, h, Role::norm1_bias, s.bias_norm, h);
  }
  add(root, Role::token_table, s.vocab * h);
  if (s.positions > 0) add(root, Role::position_table, s.positions * h);
  return list;
}

}  // namespace meshgauge::step
