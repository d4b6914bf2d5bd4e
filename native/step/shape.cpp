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

Shape shape_of(const ModelShape& m, std::size_t vocab, std::size_t sequence, std::size_t micro_batch,
               TensorRank tensor) {
  const auto number = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {.layers = number(m.layers),
          .hidden = number(m.hidden),
          .ffn = number(m.ffn) / tensor.ranks,
          .heads = number(m.heads) / tensor.ranks,
          .kv_heads = number(m.kv_heads) / tensor.ranks,
          .head_dim = number(m.head_dim),
          .vocab = vocab / tensor.ranks,
          .positions = number(m.position_rows),
          .tensor = tensor,
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
  const auto add = [&](std::size_t unit, Role role, std::size_t elements, std::array<std::size_t, 3> parts = {}) {
    list.places[unit][static_cast<std::size_t>(role)] = list.all.size();
    const bool is_cut = parts[0] > 0 && s.tensor.ranks > 1;
    list.all.push_back({role, unit, elements, is_cut ? Cut{parts, s.tensor.ranks, s.tensor.rank} : Cut{}});
  };
  const std::size_t h = s.hidden, root = s.layers, q = s.query_width(), kv = s.kv_heads * s.head_dim, f = s.ffn;
  const auto norm = [&](std::size_t unit, Role weight, Role bias) {
    add(unit, weight, h);
    if (s.bias_norm) add(unit, bias, h);
  };
  // Each rank has rows of the matrices into attention and MLP, columns of those out of them (Shoeybi et al. 2019,
  // arXiv:1909.08053 section 3), whose biases are added behind the sum.
  const auto rows = [&](std::size_t unit, Role weight, Role bias, bool has_bias, std::array<std::size_t, 3> parts) {
    const std::size_t width = parts[0] + parts[1] + parts[2];
    add(unit, weight, width * h, {parts[0] * h, parts[1] * h, parts[2] * h});
    if (has_bias) add(unit, bias, width, parts);
  };
  const auto columns = [&](std::size_t unit, Role weight, Role bias, bool has_bias, std::size_t width) {
    add(unit, weight, h * width, {width});
    if (has_bias) add(unit, bias, h);
  };
  if (!s.tied) add(root, Role::head_weight, s.vocab * h, {s.vocab * h});
  norm(root, Role::final_norm_weight, Role::final_norm_bias);
  for (std::size_t i = s.layers; i-- > 0;) {
    columns(i, Role::down_weight, Role::down_bias, s.bias_mlp, f);
    rows(i, Role::up_weight, Role::up_bias, s.bias_mlp, {f, s.gated ? f : 0});
    norm(i, Role::norm2_weight, Role::norm2_bias);
    columns(i, Role::output_weight, Role::output_bias, s.bias_output, q);
    rows(i, Role::qkv_weight, Role::qkv_bias, s.bias_qkv, {q, kv, kv});
    norm(i, Role::norm1_weight, Role::norm1_bias);
  }
  add(root, Role::token_table, s.vocab * h, {s.vocab * h});
  if (s.positions > 0) add(root, Role::position_table, s.positions * h);
  return list;
}

bool is_product(const ParameterList& list, std::size_t place) {
  switch (list.all[place].role) {
    case Role::qkv_weight:
    case Role::output_weight:
    case Role::up_weight:
    case Role::down_weight:
    case Role::head_weight:
      return true;
    case Role::token_table:
      return list.place(list.root(), Role::head_weight) == ParameterList::absent;
    default:
      return false;
  }
}

}  // namespace meshgauge::step
