// A model in the words of Megatron-LM core_v0.14.0: megatron/training/arguments.py.
#include <algorithm>
#include <vector>

#include "core/launch/megatron_arguments.hpp"
#include "core/launch/program.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::launch {
namespace {

bool biases_everywhere(const ModelShape& m) { return m.bias_qkv && m.bias_attn_out && m.bias_mlp; }
bool biases_fit(const ModelShape& m) {
  return biases_everywhere(m) ||
         (!m.bias_attn_out && !m.bias_mlp);  // --disable-bias-linear, with --add-qkv-bias or not
}

/// Which layers have experts, as --moe-layer-freq takes it: "([0]*3+[1]*58)".
std::string expert_layers(const ModelShape& m) {
  std::string text = "\"(";
  for (std::int64_t first = 0; first < m.layers;) {
    std::int64_t last = first;
    while (last < m.layers && m.is_moe_layer(last) == m.is_moe_layer(first)) ++last;
    text +=
        std::string(first == 0 ? "" : "+") + (m.is_moe_layer(first) ? "[1]*" : "[0]*") + std::to_string(last - first);
    first = last;
  }
  return text + ")\"";
}

void add_experts(const Scenario& s, MegatronArguments& out) {
  const MixtureOfExperts& moe = s.model.moe;
  const Training& t = s.training;
  out.section("Mixture of experts");
  out.flag("num-experts", moe.experts);
  out.flag("moe-router-topk", moe.top_k);
  out.flag("moe-ffn-hidden-size", moe.expert_ffn);
  if (moe.shared_ffn > 0) out.flag("moe-shared-expert-intermediate-size", moe.shared_ffn);
  if (moe.first_dense_layers > 0 || moe.layer_freq > 1) out.flag("moe-layer-freq", expert_layers(s.model));
  if (moe.groups > 1 && moe.group_limit > 0) {
    out.flag("moe-router-num-groups", moe.groups);
    out.flag("moe-router-group-topk", moe.group_limit);
  }
  out.flag_if(t.moe_grouped_gemm, "moe-grouped-gemm");
  const bool deepep = t.moe_dispatcher == MoeDispatcher::deepep;
  out.flag("moe-token-dispatcher-type", deepep ? "flex" : std::string(name_of(t.moe_dispatcher)));
  out.flag_if(deepep, "moe-enable-deepep");
  if (t.moe_capacity_factor > 0) out.flag("moe-expert-capacity-factor", literal(t.moe_capacity_factor).text);
  out.flag_if(t.overlap_expert_parallel, "overlap-moe-expert-parallel-comm");
}

}  // namespace

void check_megatron_model(const ModelShape& m, Findings& findings) {
  const auto lacks = [&](const std::string& what) {
    findings.add(path::model, m.name + " has " + what + ", for which pretrain_gpt.py of core_v0.14.0 has no argument.");
  };
  if (m.kind != ModelKind::decoder) lacks("an encoder");
  if (m.position == Position::alibi || m.position == Position::relative) lacks("position biases");
  if (m.activation == Activation::relu || m.activation == Activation::geglu) {
    lacks("the activation " + std::string(name_of(m.activation)));
  }
  if (m.linear_per_full > 0) lacks("linear attention");
  if (!biases_fit(m)) lacks("biases on some matrices only");
}

Issues megatron_model_warnings(const ModelShape& m) {
  std::vector<std::string_view> left_out;
  if (m.window > 0) left_out.emplace_back("windowed attention");
  if (m.norms_per_layer != 2) left_out.emplace_back("norms beside two in each layer");
  if (m.embedding_norm) left_out.emplace_back("the norm of the embeddings");
  if (m.qk_norm == QkNorm::full) left_out.emplace_back("norms of query and key over all heads");
  if (m.attention_sinks) left_out.emplace_back("attention sinks");
  if (m.token_width() != m.hidden) left_out.emplace_back("embeddings of another width");
  if (left_out.empty()) return {};
  return {{path::model, "The arguments leave out " + list_text(left_out) + '.'}};
}

void add_megatron_model(const Scenario& s, MegatronArguments& out) {
  const ModelShape& m = s.model;
  out.section("Model: " + m.name);
  out.flag("num-layers", m.layers);
  out.flag("hidden-size", m.hidden);
  out.flag("ffn-hidden-size", m.ffn > 0 ? m.ffn : m.moe.expert_ffn);
  out.flag("num-attention-heads", m.heads);
  if (m.mla.used()) {
    out.flag("multi-latent-attention");
    if (m.mla.q_lora_rank > 0) out.flag("q-lora-rank", m.mla.q_lora_rank);
    out.flag("kv-lora-rank", m.mla.kv_lora_rank);
    out.flag("qk-head-dim", m.mla.qk_nope_head_dim);
    out.flag("qk-pos-emb-head-dim", m.mla.qk_rope_head_dim);
    out.flag("v-head-dim", m.mla.v_head_dim);
  } else {
    if (m.kv_heads != m.heads) {
      out.flag("group-query-attention");
      out.flag("num-query-groups", m.kv_heads);
    }
    out.flag("kv-channels", m.head_dim);
  }
  const std::int64_t positions = std::max(m.position_rows, std::max(m.max_sequence, s.training.sequence_length));
  out.flag("max-position-embeddings", positions);
  out.flag("position-embedding-type",
           std::string(m.position == Position::learned ? "learned_absolute" : name_of(m.position)));
  out.flag("normalization", m.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm");
  out.flag_if(m.activation == Activation::swiglu, "swiglu");
  out.flag_if(m.activation == Activation::relu2, "squared-relu");
  out.flag_if(!biases_everywhere(m), "disable-bias-linear");
  out.flag_if(m.bias_qkv && !biases_everywhere(m), "add-qkv-bias");
  out.flag_if(m.qk_norm == QkNorm::head, "qk-layernorm");
  out.flag_if(!m.tie_embeddings, "untie-embeddings-and-output-weights");
  if (m.mtp_depth > 0) out.flag("mtp-num-layers", m.mtp_depth);
  if (m.moe.used()) add_experts(s, out);
}

}  // namespace meshgauge::launch
