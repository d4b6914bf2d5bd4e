// The table of families.
#include "core/io/huggingface_family.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr WholeRange position_range{1, 1 << 30};
constexpr WholeRange count_range{1, 65536};

void set_biases(ModelShape& m, bool on) { m.bias_qkv = m.bias_attn_out = m.bias_mlp = on; }

void finish_bert(ConfigReader& c, ModelShape& m) {
  m.embedding_norm = true;
  m.final_norm = false;
  m.type_rows = c.whole("type_vocab_size", {0, 65536}, 2);
  m.extra_parameters = m.hidden * m.hidden + m.hidden;  // the pooler
}

void finish_roberta(ConfigReader& c, ModelShape& m) {
  finish_bert(c, m);
  m.max_sequence = std::max<std::int64_t>(m.position_rows - 2, 0);  // the first two rows are not positions
}

void finish_distilbert(ConfigReader&, ModelShape& m) {
  m.embedding_norm = true;
  m.final_norm = false;
}

void finish_opt(ConfigReader& c, ModelShape& m) {
  if (m.position_rows > 0) m.position_rows += 2;
  const std::int64_t projected = c.whole("word_embed_proj_dim", count_range, m.hidden);
  if (projected != m.hidden)
    c.complain("word_embed_proj_dim",
               " differs from hidden_size. Embeddings of another width than the layers are not covered.");
  set_biases(m, c.flag("enable_bias", true));
}

void finish_bloom(ConfigReader&, ModelShape& m) { m.embedding_norm = true; }

void finish_bigcode(ConfigReader& c, ModelShape& m) {
  if (c.flag("multi_query", true)) m.kv_heads = 1;
}

/// GPT-Neo has a bias in the attention output only (transformers modeling_gpt_neo.py).
void finish_gpt_neo(ConfigReader&, ModelShape& m) {
  m.bias_qkv = false;
  m.local_layers = m.layers / 2;
}

void finish_starcoder2(ConfigReader& c, ModelShape& m) { set_biases(m, c.flag("use_bias", true)); }

/// transformers configuration_falcon.py and modeling_falcon.py.
void finish_falcon(ConfigReader& c, ModelShape& m) {
  const bool is_new = c.flag("new_decoder_architecture");
  const bool parallel = c.flag("parallel_attn", true);
  const bool names_kv_heads = c.find("n_head_kv") != nullptr;  // the first 40B files, of type RefinedWeb
  if (!is_new && !names_kv_heads) m.kv_heads = c.flag("multi_query", true) ? 1 : m.heads;
  m.norms_per_layer = is_new ? c.whole("num_ln_in_parallel_attn", {1, 2}, 2) : parallel ? 1 : 2;
  if (c.flag("alibi")) m.position = Position::alibi;
  set_biases(m, c.flag("bias"));
}

/// mosaicml/llm-foundry models/mpt/configuration_mpt.py.
void finish_mpt(ConfigReader& c, ModelShape& m) {
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
void finish_dbrx(ConfigReader& c, ModelShape& m) {
  m.kv_heads = c.section("attn_config").whole("kv_n_heads", count_range, 1);
  ConfigReader ffn = c.section("ffn_config");
  m.moe.experts = ffn.whole("moe_num_experts", count_range, 4);
  m.moe.top_k = ffn.whole("moe_top_k", count_range, 1);
  m.moe.expert_ffn = m.ffn = ffn.whole("ffn_hidden_size", {1, 1 << 24}, 3584);
}

/// THUDM/chatglm3-6b configuration_chatglm.py.
void finish_chatglm(ConfigReader& c, ModelShape& m) {
  if (!c.flag("multi_query_attention")) m.kv_heads = m.heads;
  const bool on_qkv = m.bias_qkv;  // add_qkv_bias
  const bool everywhere = c.flag("add_bias_linear", true);
  set_biases(m, everywhere);
  m.bias_qkv = everywhere || on_qkv;
  if (!c.flag("rmsnorm", true)) m.norm = Norm::layernorm;
}

void finish_internlm(ConfigReader& c, ModelShape& m) { m.bias_qkv = m.bias_attn_out = c.flag("bias", m.bias_qkv); }

/// The 13B model of Baichuan counts no positions: ALiBi. Nothing but the missing key tells.
void finish_baichuan(ConfigReader& c, ModelShape& m) {
  if (!c.has("max_position_embeddings")) m.position = Position::alibi;
}

/// Qwen (the first): intermediate_size is both halves of the gated MLP (modeling_qwen.py).
void finish_qwen(ConfigReader&, ModelShape& m) { m.ffn /= 2; }

void finish_qwen2_moe(ConfigReader&, ModelShape& m) { m.moe.shared_gate = m.moe.used(); }

void finish_router_bias(ConfigReader&, ModelShape& m) { m.moe.router_bias = m.moe.used(); }

void finish_gpt_oss(ConfigReader& c, ModelShape& m) {
  finish_router_bias(c, m);
  m.attention_sinks = true;
}

void finish_deepseek(ConfigReader& c, ModelShape& m) { m.moe.router_bias = c.text("topk_method") == "noaux_tc"; }

void finish_minimax_m2(ConfigReader& c, ModelShape& m) {
  m.moe.router_bias = c.flag("use_routing_bias");
  if (c.flag("use_mtp")) m.mtp_depth = c.whole("num_mtp_modules", {0, 64}, 0);
}

/// Llama 4: intermediate_size is the expert's, one shared expert of that width (modeling_llama4.py).
void finish_llama4(ConfigReader& c, ModelShape& m) {
  m.qk_norm = QkNorm::none;  // without weights
  if (m.moe.used()) m.moe.shared_ffn = m.moe.expert_ffn;
  if (m.moe.used()) m.ffn = c.whole("intermediate_size_mlp", {1, 1 << 24}, m.ffn);
}

/// Its attention has biases whatever attention_bias says (modeling_phi3_small.py).
void finish_phi3small(ConfigReader&, ModelShape& m) { set_biases(m, true); }

void finish_cohere(ConfigReader& c, ModelShape& m) {
  m.max_sequence = std::max(m.max_sequence, c.whole("model_max_length", position_range, 0));
}

void finish_olmo(ConfigReader&, ModelShape& m) { m.norm_weight = m.norm_bias = false; }

void finish_stablelm(ConfigReader& c, ModelShape& m) {
  if (c.flag("use_parallel_residual")) m.norms_per_layer = 1;
}

void finish_t5(ConfigReader& c, ModelShape& m) {
  m.encoder_layers = m.layers;
  m.layers = c.whole("num_decoder_layers", {1, 10000}, m.encoder_layers);
  m.relative_buckets = c.whole("relative_attention_num_buckets", count_range, 32);
  const std::string projection = c.text("feed_forward_proj");
  if (projection.starts_with("gated")) {
    m.activation = projection == "gated-silu" ? Activation::swiglu : Activation::geglu;
  }
}

void finish_vit(ConfigReader& c, ModelShape& m) {
  const std::int64_t image = c.whole("image_size", {1, 65536}, 224);
  m.patch = c.whole("patch_size", {1, 4096}, 16);
  if (c.whole("num_channels", {1, 4096}, 3) != 3)
    c.complain("num_channels", " is not 3, the only number of channels that is covered.");
  if (m.patch > 0) m.position_rows = image / m.patch * (image / m.patch) + 1;
  m.max_sequence = m.position_rows;
}

constexpr auto learned = Position::learned;
constexpr auto layernorm = Norm::layernorm;
constexpr auto plain_gelu = Activation::gelu;

// clang-format off
constexpr auto families = std::to_array<Family>({
  {.types = "smollm3", .tie = true},
  {.types = "llama yi aquila xverse granite granitemoe granitemoeshared"},
  {.types = "mistral ministral", .kv_heads = 8, .window = 4096},
  {.types = "mixtral", .kv_heads = 8},
  {.types = "qwen", .biases = Biases::qkv, .positions = 8192, .finish = finish_qwen},
  {.types = "qwen2 qwen2_vl qwen2_5_vl qwen2_vl_text qwen2_5_vl_text mimo", .biases = Biases::qkv, .attention_bias_on_output = false},
  {.types = "qwen2_moe", .biases = Biases::qkv, .finish = finish_qwen2_moe},
  {.types = "qwen3 qwen3_vl_text qwen3_moe qwen3_vl_moe_text", .qk_norm = QkNorm::head},
  {.types = "deepseek deepseek_v2 deepseek_v3 kimi_k2", .finish = finish_deepseek},
  {.types = "glm4_moe", .biases = Biases::qkv, .attention_bias_on_output = false, .qk_norm = QkNorm::head, .qk_norm_on = false, .finish = finish_router_bias},
  {.types = "glm", .biases = Biases::qkv, .attention_bias_on_output = false},
  {.types = "glm4", .biases = Biases::qkv, .attention_bias_on_output = false, .norms = 4},
  {.types = "chatglm", .finish = finish_chatglm},
  {.types = "gemma", .activation = Activation::geglu, .tie = true, .head_dim = 256, .positions = 8192},
  {.types = "gemma2", .activation = Activation::geglu, .tie = true, .norms = 4, .heads = 8, .kv_heads = 4, .head_dim = 256, .vocab = 256000, .positions = 8192, .window = 4096, .window_period = 2},
  {.types = "gemma3_text gemma3", .activation = Activation::geglu, .tie = true, .norms = 4, .qk_norm = QkNorm::head, .heads = 8, .kv_heads = 4, .head_dim = 256, .vocab = 262208, .positions = 131072, .window = 4096, .window_period = 6},
  {.types = "gpt2", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 1024, .ffn_ratio = 4},
  {.types = "gpt_bigcode", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 1024, .ffn_ratio = 4, .finish = finish_bigcode},
  {.types = "gpt_neo", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 2048, .ffn_ratio = 4, .window = 256, .finish = finish_gpt_neo},
  {.types = "gpt_neox", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::all, .vocab = 50432, .positions = 2048, .ffn_ratio = 4},
  {.types = "gptj codegen", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::mlp, .norms = 1, .vocab = 50400, .positions = 2048, .ffn_ratio = 4, .finish = [](ConfigReader&, ModelShape& m) { m.bias_lm_head = true; }},
  {.types = "starcoder2", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .tie = true, .biases = Biases::all, .kv_heads = 2, .vocab = 49152, .positions = 4096, .finish = finish_starcoder2},
  {.types = "phi phi_msft", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::all, .norms = 1, .vocab = 51200, .positions = 2048, .ffn_ratio = 4, .finish = [](ConfigReader&, ModelShape& m) { m.bias_lm_head = true; }},
  {.types = "phi3", .vocab = 32064, .positions = 4096},
  {.types = "phi3small", .activation = Activation::geglu, .norm = layernorm, .norm_bias = true, .tie = true, .biases = Biases::all, .kv_heads = 8, .vocab = 100352, .positions = 8192, .finish = finish_phi3small},
  {.types = "phimoe", .norm = layernorm, .norm_bias = true},
  {.types = "falcon refinedweb refinedwebmodel rw", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .tie = true, .vocab = 65024, .positions = 2048, .ffn_ratio = 4, .finish = finish_falcon},
  {.types = "opt", .gated = false, .activation = Activation::relu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50272, .positions = 2048, .finish = finish_opt},
  {.types = "bloom", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = Position::alibi, .tie = true, .biases = Biases::all, .vocab = 250880, .positions = 2048, .ffn_ratio = 4, .finish = finish_bloom},
  {.types = "mpt", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .vocab = 50368, .positions = 2048, .ffn_ratio = 4, .finish = finish_mpt},
  {.types = "dbrx", .norm = layernorm, .ffn_ratio = 4, .finish = finish_dbrx},
  {.types = "grok_1 grok", .activation = Activation::geglu, .tie = true, .norms = 4},
  {.types = "cohere", .norm = layernorm, .tie = true, .norms = 1, .qk_norm = QkNorm::full, .qk_norm_on = false, .positions = 8192, .finish = finish_cohere},
  {.types = "cohere2", .norm = layernorm, .tie = true, .norms = 1, .positions = 8192, .window = 4096, .window_period = 4},
  {.types = "olmo", .norm = layernorm, .positions = 2048, .finish = finish_olmo},
  {.types = "olmo2 olmo3 olmoe", .qk_norm = QkNorm::full, .positions = 2048, .window_period = 4},
  {.types = "internlm", .biases = Biases::attention, .finish = finish_internlm},
  {.types = "internlm2", .finish = finish_internlm},
  {.types = "internlm3"},
  {.types = "baichuan", .finish = finish_baichuan},
  {.types = "stablelm stablelm_epoch", .norm = layernorm, .norm_bias = true, .qk_norm = QkNorm::full, .qk_norm_on = false, .positions = 4096, .finish = finish_stablelm},
  {.types = "nemotron", .gated = false, .activation = Activation::relu2, .norm = layernorm, .norm_bias = true, .positions = 4096},
  {.types = "gpt_oss", .biases = Biases::all, .kv_heads = 8, .head_dim = 64, .positions = 131072, .window = 128, .window_period = 2, .finish = finish_gpt_oss},
  {.types = "llama4_text llama4", .kv_heads = 8, .head_dim = 128, .vocab = 202048, .positions = 131072, .window = 8192, .window_period = 4, .finish = finish_llama4},
  {.types = "minimax minimax_text_01 minimax_m1"},
  {.types = "minimax_m2", .qk_norm = QkNorm::full, .qk_norm_on = false, .finish = finish_minimax_m2},
  {.types = "bert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 30522, .positions = 512, .finish = finish_bert},
  {.types = "roberta xlm_roberta camembert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50265, .positions = 514, .finish = finish_roberta},
  {.types = "distilbert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 30522, .positions = 512, .finish = finish_distilbert},
  {.types = "t5 mt5", .kind = ModelKind::encoder_decoder, .gated = false, .activation = Activation::relu, .position = Position::relative, .tie = true, .head_dim = 64, .vocab = 32128, .positions = 512, .finish = finish_t5},
  {.types = "vit", .kind = ModelKind::vit, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .finish = finish_vit},
});
// clang-format on

char plain(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool separates(char c) { return c == '_' || c == '-'; }

/// Equal but for case and separators.
bool same_type(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < a.size() && separates(a[i])) ++i;
    while (j < b.size() && separates(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (plain(a[i++]) != plain(b[j++])) return false;
  }
}

template <class Visit>
void for_each_type(Visit visit) {
  for (const Family& family : families) {
    std::string_view types = family.types;
    while (!types.empty()) {
      const std::size_t end = std::min(types.find(' '), types.size());
      visit(types.substr(0, end), family);
      types.remove_prefix(std::min(end + 1, types.size()));
    }
  }
}

}  // namespace

const Family* find_family(std::string_view model_type) {
  const Family* found = nullptr;
  for_each_type([&](std::string_view type, const Family& family) {
    if (found == nullptr && same_type(type, model_type)) found = &family;
  });
  return found;
}

std::vector<std::string_view> family_types() {
  std::vector<std::string_view> types;
  for_each_type([&](std::string_view type, const Family&) { types.push_back(type); });
  return types;
}

Family guess_family(const ConfigReader& c) {
  // PretrainedConfig.tie_word_embeddings is true unless a class says otherwise, and what differs from it is written.
  Family family{.types = "", .tie = true, .qk_norm = QkNorm::head, .qk_norm_on = false};
  const Json* activation = c.find("hidden_act activation_function hidden_activation");
  const bool names_gelu = activation != nullptr && activation->is_string() &&
                          activation->get_ref<const std::string&>().find("gelu") != std::string::npos;
  if (c.has("layer_norm_eps layer_norm_epsilon layernorm_epsilon") && !c.has("rms_norm_eps")) {
    family.norm = Norm::layernorm;
    family.norm_bias = true;
    family.gated = !names_gelu;
    if (names_gelu) family.biases = Biases::all;
  }
  return family;
}

}  // namespace meshgauge
