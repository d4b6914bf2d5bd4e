// What the table of families cannot hold: what single families compute from their own keys, after the usual ones.
#pragma once

#include <algorithm>
#include <string>

#include "core/io/config_reader.hpp"
#include "core/scenario/model_shape.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {

inline constexpr WholeRange position_range{1, 1 << 30};
inline constexpr WholeRange count_range{1, 65536};

inline void set_biases(ModelShape& m, bool on) { m.bias_qkv = m.bias_attn_out = m.bias_mlp = on; }

inline void finish_bert(ConfigReader& c, ModelShape& m) {
  m.embedding_norm = true;
  m.final_norm = false;
  m.type_rows = c.whole("type_vocab_size", {0, 65536}, 2);
  m.extra_parameters = m.hidden * m.hidden + m.hidden;  // the pooler
  const std::string positions = c.text("position_embedding_type");
  if (positions == "relative_key" || positions == "relative_key_query") {  // a table of distances in every layer
    m.extra_parameters += m.layers * (2 * m.position_rows - 1) * m.head_dim;
  } else if (!positions.empty() && positions != "absolute") {
    c.complain("position_embedding_type",
               " is " + in_quotes(positions) + ". Allowed: absolute, relative_key, relative_key_query.");
  }
}

/// Its tables may be narrower than its layers, with the positions and the norm in that width (modeling_electra.py).
inline void finish_electra(ConfigReader& c, ModelShape& m) {
  finish_bert(c, m);
  m.extra_parameters -= m.hidden * m.hidden + m.hidden;  // it has no pooler
  if (c.whole("embedding_size", count_range, 128) != m.hidden)
    c.complain("embedding_size",
               " differs from hidden_size. Embeddings of another width than the layers are not covered.");
}

inline void finish_roberta(ConfigReader& c, ModelShape& m) {
  finish_bert(c, m);
  m.max_sequence = std::max<std::int64_t>(m.position_rows - 2, 0);  // the first two rows are not positions
}

inline void finish_distilbert(ConfigReader&, ModelShape& m) {
  m.embedding_norm = true;
  m.final_norm = false;
}

/// transformers modeling_opt.py.
inline void finish_opt(ConfigReader& c, ModelShape& m) {
  if (m.position_rows > 0) m.position_rows += 2;
  const std::int64_t projected = c.whole("word_embed_proj_dim", count_range, m.hidden);
  if (projected != m.hidden) m.embedding_width = projected;
  m.final_norm = c.flag("do_layer_norm_before", true) && !c.flag("_remove_final_layer_norm");
  m.norm_weight = m.norm_bias = c.flag("layer_norm_elementwise_affine", true);
  set_biases(m, c.flag("enable_bias", true));
}

inline void finish_bloom(ConfigReader&, ModelShape& m) { m.embedding_norm = true; }

inline void finish_bigcode(ConfigReader& c, ModelShape& m) {
  if (c.flag("multi_query", c.text("attention_head_type") != "multihead")) m.kv_heads = 1;
}

/// bigcode/santacoder is of this type, with its own modelling code (configuration_gpt2_mq.py).
inline void finish_gpt2(ConfigReader& c, ModelShape& m) {
  if (c.flag("multi_query", c.text("attention_head_type") == "multiquery")) m.kv_heads = 1;
}

/// GPT-Neo has a bias in the attention output only (transformers modeling_gpt_neo.py).
inline void finish_gpt_neo(ConfigReader&, ModelShape& m) {
  m.bias_qkv = false;
  m.local_layers = m.layers / 2;
}

inline void finish_starcoder2(ConfigReader& c, ModelShape& m) { set_biases(m, c.flag("use_bias", true)); }

/// transformers configuration_falcon.py and modeling_falcon.py.
inline void finish_falcon(ConfigReader& c, ModelShape& m) {
  const bool is_new = c.flag("new_decoder_architecture");
  const bool parallel = c.flag("parallel_attn", true);
  const bool names_kv_heads = c.find("n_head_kv") != nullptr;  // the first 40B files, of type RefinedWeb
  if (!is_new && !names_kv_heads) m.kv_heads = c.flag("multi_query", true) ? 1 : m.heads;
  m.norms_per_layer = is_new ? c.whole("num_ln_in_parallel_attn", {1, 2}, 2) : parallel ? 1 : 2;
  if (c.flag("alibi")) m.position = Position::alibi;
  set_biases(m, c.flag("bias"));
}

/// mosaicml/llm-foundry models/mpt/configuration_mpt.py.
inline void finish_mpt(ConfigReader& c, ModelShape& m) {
  ConfigReader attention = c.section("attn_config");
  const std::string type = attention.text("attn_type");
  if (type == "multiquery_attention") m.kv_heads = 1;
  if (type == "grouped_query_attention") m.kv_heads = attention.whole("kv_n_heads", count_range, m.heads);
  if (attention.flag("qk_ln")) m.qk_norm = QkNorm::full;
  const bool no_bias = c.flag("no_bias", true);
  set_biases(m, !no_bias);
  m.norm_bias = !no_bias;
  const bool alibi = attention.flag("alibi");
  const bool rope = attention.flag("rope");
  if (alibi || rope) {
    m.position = alibi ? Position::alibi : Position::rope;
    m.position_rows = 0;
  }
  m.ffn = m.hidden * c.whole("expansion_ratio", {1, 64}, 4);
}

/// transformers configuration_dbrx.py: widths and experts stand in nested objects.
inline void finish_dbrx(ConfigReader& c, ModelShape& m) {
  m.kv_heads = c.section("attn_config").whole("kv_n_heads", count_range, 1);
  ConfigReader ffn = c.section("ffn_config");
  m.moe.experts = ffn.whole("moe_num_experts", count_range, 4);
  m.moe.top_k = ffn.whole("moe_top_k", count_range, 1);
  m.moe.expert_ffn = m.ffn = ffn.whole("ffn_hidden_size", {1, 1 << 24}, 3584);
}

/// THUDM/chatglm3-6b configuration_chatglm.py.
inline void finish_chatglm(ConfigReader& c, ModelShape& m) {
  if (!c.flag("multi_query_attention")) m.kv_heads = m.heads;
  const bool on_qkv = m.bias_qkv;  // add_qkv_bias
  const bool everywhere = c.flag("add_bias_linear", true);
  set_biases(m, everywhere);
  m.bias_qkv = everywhere || on_qkv;
  if (!c.flag("rmsnorm", true)) m.norm = Norm::layernorm;
}

inline void finish_internlm(ConfigReader& c, ModelShape& m) {
  m.bias_qkv = m.bias_attn_out = c.flag("bias", m.bias_qkv);
}

/// The 13B model of Baichuan counts no positions: ALiBi. Nothing but the missing key tells.
inline void finish_baichuan(ConfigReader& c, ModelShape& m) {
  if (!c.has("max_position_embeddings")) m.position = Position::alibi;
}

/// Qwen (the first): intermediate_size is both halves of the gated MLP (modeling_qwen.py).
inline void finish_qwen(ConfigReader&, ModelShape& m) { m.ffn /= 2; }

inline void finish_qwen2_moe(ConfigReader&, ModelShape& m) { m.moe.shared_gate = m.moe.used(); }

inline void finish_router_bias(ConfigReader&, ModelShape& m) { m.moe.router_bias = m.moe.used(); }

inline void finish_gpt_oss(ConfigReader& c, ModelShape& m) {
  finish_router_bias(c, m);
  m.attention_sinks = true;
}

inline void finish_deepseek(ConfigReader& c, ModelShape& m) { m.moe.router_bias = c.text("topk_method") == "noaux_tc"; }

/// The router's bias is no option of transformers' class (modeling_deepseek_v3.py).
inline void finish_deepseek_v3(ConfigReader& c, ModelShape& m) {
  m.moe.router_bias = m.moe.used() && (c.find("topk_method") == nullptr || c.text("topk_method") == "noaux_tc");
}

/// openbmb/MiniCPM3-4B modeling_minicpm.py: values are as wide as the layers allow.
inline void finish_minicpm3(ConfigReader& c, ModelShape& m) {
  if (m.mla.used() && m.heads > 0 && c.find("v_head_dim") == nullptr) m.mla.v_head_dim = m.hidden / m.heads;
}

inline void finish_minimax_m2(ConfigReader& c, ModelShape& m) {
  m.moe.router_bias = c.flag("use_routing_bias");
  if (c.flag("use_mtp")) m.mtp_depth = c.whole("num_mtp_modules", {0, 64}, 0);
}

/// Llama 4: intermediate_size is the expert's, one shared expert of that width (modeling_llama4.py).
inline void finish_llama4(ConfigReader& c, ModelShape& m) {
  m.qk_norm = QkNorm::none;  // without weights
  if (m.moe.used()) m.moe.shared_ffn = m.moe.expert_ffn;
  if (m.moe.used()) m.ffn = c.whole("intermediate_size_mlp", {1, 1 << 24}, m.ffn);
}

/// Its attention has biases whatever attention_bias says (modeling_phi3_small.py).
inline void finish_phi3small(ConfigReader&, ModelShape& m) { set_biases(m, true); }

inline void finish_cohere(ConfigReader& c, ModelShape& m) {
  m.max_sequence = std::max(m.max_sequence, c.whole("model_max_length", position_range, 0));
}

inline void finish_olmo(ConfigReader&, ModelShape& m) { m.norm_weight = m.norm_bias = false; }

inline void finish_stablelm(ConfigReader& c, ModelShape& m) {
  if (c.flag("use_parallel_residual")) m.norms_per_layer = 1;
}

inline void finish_t5(ConfigReader& c, ModelShape& m) {
  m.encoder_layers = m.layers;
  m.layers = c.whole("num_decoder_layers", {1, 10000}, m.encoder_layers);
  m.relative_buckets = c.whole("relative_attention_num_buckets", count_range, 32);
  const std::string projection = c.text("feed_forward_proj");
  if (projection.starts_with("gated")) {
    m.activation = projection == "gated-silu" ? Activation::swiglu : Activation::geglu;
  }
}

/// transformers configuration_mt5.py: gated unless the config says otherwise.
inline void finish_mt5(ConfigReader& c, ModelShape& m) {
  if (c.find("feed_forward_proj") == nullptr) m.activation = Activation::geglu;
  finish_t5(c, m);
}

inline void finish_vit(ConfigReader& c, ModelShape& m) {
  const std::int64_t image = c.whole("image_size", {1, 65536}, 224);
  m.patch = c.whole("patch_size", {1, 4096}, 16);
  if (c.whole("num_channels", {1, 4096}, 3) != 3)
    c.complain("num_channels", " is not 3, the only number of channels that is covered.");
  if (m.patch > 0) m.position_rows = image / m.patch * (image / m.patch) + 1;
  m.max_sequence = m.position_rows;
}

}  // namespace meshgauge
