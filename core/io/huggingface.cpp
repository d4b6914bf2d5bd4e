// Reading a Hugging Face config.json into a model shape.
#include "core/io/huggingface.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/config_reader.hpp"
#include "core/io/huggingface_family.hpp"
#include "core/io/huggingface_layers.hpp"
#include "core/resolve/divisors.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr WholeRange layer_range{1, 10000};
constexpr WholeRange hidden_range{1, 1 << 20};
constexpr WholeRange head_range{1, 1 << 16};
constexpr WholeRange width_range{1, 1 << 24};
constexpr WholeRange position_range{1, 1 << 30};
constexpr WholeRange rank_range{0, 1 << 20};

constexpr std::string_view hidden_keys = "hidden_size n_embd d_model n_embed dim";
constexpr std::string_view layer_keys = "num_hidden_layers n_layer n_layers num_layers";
constexpr std::string_view head_keys = "num_attention_heads n_head n_heads num_heads";
constexpr std::string_view kv_head_keys =
    "num_key_value_heads num_kv_heads n_head_kv n_kv_heads multi_query_group_num num_query_groups";
constexpr std::string_view head_dim_keys = "head_dim kv_channels d_kv attention_head_size";
constexpr std::string_view ffn_keys =
    "intermediate_size ffn_dim n_inner d_ff ffn_hidden_size ff_intermediate_size hidden_dim";
constexpr std::string_view vocab_keys = "padded_vocab_size vocab_size";
constexpr std::string_view position_keys =
    "max_position_embeddings n_positions max_seq_len seq_length max_sequence_length n_ctx model_max_length";

/// Parts of models whose parameters this program does not know how to count, by the key that gives them away.
struct Uncovered {
  std::string_view key;
  std::string_view what;
};
constexpr auto uncovered = std::to_array<Uncovered>({
    {"mamba_d_state", "state-space layers"},
    {"ssm_state_size", "state-space layers"},
    {"state_size", "state-space layers"},
    {"ssm_cfg", "state-space layers"},
    {"hybrid_override_pattern", "state-space layers"},
    {"attention_hidden_size", "recurrent layers"},
    {"lru_width", "recurrent layers"},
    {"conv_L_cache", "convolution layers"},
    {"linear_num_value_heads", "gated linear-attention layers"},
    {"linear_attn_config", "gated linear-attention layers"},
    {"index_topk", "sparse-attention indexers"},
    {"sparse_attention_config", "sparse-attention indexers"},
    {"block_configs", "layers of different shapes"},
    {"swa_num_key_value_heads", "layers of different shapes"},
    {"ffn_multipliers", "layers of different shapes"},
    {"global_head_dim", "layers of different shapes"},
    {"hidden_size_per_layer_input", "embeddings of every layer"},
    {"num_hidden_groups", "layers that share their weights"},
    {"pos_att_type", "disentangled attention"},
    {"global_attn_every_n_layers", "ModernBERT layers"},
    {"cross_attention_layers", "cross-attention to images"},
    {"add_cross_attention", "attention layers over an encoder"},
    {"encoder_ffn_dim", "encoder-decoder models other than T5"},
});

/// Keys of architectures that differ from a plain decoder in what they compute: with one of them a config that does
/// not say what it is cannot be guessed.
constexpr std::string_view telling_keys =
    "embedding_size type_vocab_size position_embedding_type attention_window image_size num_channels conv_dim "
    "encoder_attention_type relative_attention_num_buckets expand_k decay_low_rank_dim decoder_layers";

bool is_set(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return value.is_number() ? value != 0 : !value.is_null() && !value.empty();
}

/// "Qwen2MoeForCausalLM" -> "Qwen2Moe"
std::string_view architecture_stem(std::string_view name) {
  for (const std::string_view ending : {"For", "LMHead", "Model"}) {
    const std::size_t at = name.find(ending);
    if (at != std::string_view::npos && at > 0) name = name.substr(0, at);
  }
  return name;
}

std::string_view first_architecture(const ConfigReader& c) {
  const Json* names = c.find("architectures");
  if (names == nullptr || !names->is_array() || names->empty() || !names->front().is_string()) return {};
  return names->front().get_ref<const std::string&>();
}

/// Multimodal configs keep the language model in a nested object.
std::string_view nested_key(const Json& config) {
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    const auto found = config.find(key);
    if (found != config.end() && found->is_object() && !found->empty()) return key;
  }
  return {};
}

Activation read_activation(ConfigReader& c, const Family& family) {
  const std::string name =
      c.text("hidden_act hidden_activation activation_function activation mlp_hidden_act dense_act_fn");
  if (name.empty()) return family.activation;
  if (family.gated) return name.find("gelu") != std::string::npos ? Activation::geglu : Activation::swiglu;
  if (name == "relu2" || name == "squared_relu") return Activation::relu2;
  return name == "relu" ? Activation::relu : Activation::gelu;
}

void read_biases(ConfigReader& c, const Family& family, ModelShape& m) {
  const Biases by_default = family.biases;
  const bool on_attention = by_default == Biases::attention || by_default == Biases::all;
  m.bias_qkv = c.flag("attention_bias qkv_bias use_qkv_bias add_qkv_bias", on_attention || by_default == Biases::qkv);
  const bool said_for_both = family.attention_bias_on_output && c.find("attention_bias") != nullptr;
  m.bias_attn_out = c.flag("attention_out_bias", said_for_both ? m.bias_qkv : on_attention);
  m.bias_mlp = c.flag("mlp_bias", by_default == Biases::mlp || by_default == Biases::all);
  m.bias_lm_head = c.flag("lm_head_bias");
}

void read_latent_attention(ConfigReader& c, ModelShape& m) {
  m.mla.kv_lora_rank = c.whole("kv_lora_rank", rank_range, 0);
  if (!m.mla.used()) return;
  m.mla.q_lora_rank = c.whole("q_lora_rank", rank_range, 0);
  m.mla.qk_nope_head_dim = c.whole("qk_nope_head_dim", head_range, 128);
  m.mla.qk_rope_head_dim = c.whole("qk_rope_head_dim", head_range, 64);
  m.mla.v_head_dim = c.whole("v_head_dim", head_range, 128);
  m.head_dim = m.mla.qk_nope_head_dim + m.mla.qk_rope_head_dim;
  m.kv_heads = m.heads;
}

void read_heads(ConfigReader& c, const Family& family, ModelShape& m) {
  m.heads = c.whole(head_keys, head_range, family.heads);
  m.kv_heads = c.whole(kv_head_keys, head_range, family.kv_heads > 0 ? family.kv_heads : m.heads);
  m.head_dim = c.whole(head_dim_keys, head_range, family.head_dim);
  if (m.head_dim == 0 && c.find(head_dim_keys) == nullptr && m.heads > 0) {
    m.head_dim = m.hidden / m.heads;
    if (m.hidden % m.heads != 0 && !c.has("kv_lora_rank")) {
      c.complain(head_keys, " is " + number_text(m.heads) + ", which does not divide the hidden size " +
                                number_text(m.hidden) + ". Change one of them, or give head_dim.");
    }
  }
}

ModelShape read_shape(ConfigReader& c, const Family& family) {
  ModelShape m;
  m.id = "custom";
  m.source = "config.json";
  m.kind = family.kind;
  m.hidden = c.whole(hidden_keys, hidden_range, family.hidden);
  m.layers = c.whole(layer_keys, layer_range, family.layers);
  m.vocab = family.kind == ModelKind::vit ? 0 : c.whole(vocab_keys, width_range, family.vocab);
  m.ffn = c.whole(ffn_keys, width_range, family.ffn > 0 ? family.ffn : family.ffn_ratio * m.hidden);
  m.max_sequence = c.whole(position_keys, position_range, family.positions);
  m.activation = read_activation(c, family);
  m.norm = family.norm;
  m.norm_bias = family.norm_bias;
  m.norms_per_layer = family.norms;
  m.position = family.position;
  m.position_rows = family.position == Position::learned ? m.max_sequence : 0;
  m.qk_norm = c.flag("use_qk_norm qk_layernorm", family.qk_norm_on) ? family.qk_norm : QkNorm::none;
  m.mtp_depth = c.whole("num_nextn_predict_layers", {0, 64}, 0);
  read_heads(c, family, m);
  read_latent_attention(c, m);
  read_biases(c, family, m);
  read_experts(c, m);
  read_linear_layers(c, m);
  read_window(c, family, m);
  if (family.finish != nullptr) family.finish(c, m);
  const bool has_dense_layer = m.moe.first_dense_layers > 0 || m.moe.layer_freq > 1;
  if (m.moe.used() && !has_dense_layer) m.ffn = m.moe.expert_ffn;  // no MLP has the other width
  return m;
}

/// "n_embd or d_model"
std::string other_names(std::string_view keys) {
  std::string text;
  while (keys.find(' ') != std::string_view::npos) {
    keys.remove_prefix(keys.find(' ') + 1);
    text += (text.empty() ? "" : ", ") + std::string(usual_key(keys));
  }
  return text;
}

/// Keys without which there is no shape, as far as the family has no default for them.
void report_missing(const ConfigReader& c, const Family& family, std::string_view name, Reading& reading) {
  bool first = true;
  const auto need = [&](std::string_view keys, bool has_default) {
    if (has_default || c.find(keys) != nullptr || c.misspelt(keys)) return;
    std::string text = std::string(usual_key(keys)) + " is missing. Other names: " + other_names(keys) + '.';
    if (first && family.types.empty() && name.empty()) {
      text +=
          " The architecture is not named, so hidden_size, num_hidden_layers, num_attention_heads, intermediate_size "
          "and vocab_size are needed.";
    }
    first = false;
    reading.fail(c.path() + '/' + std::string(usual_key(keys)), std::move(text));
  };
  need(hidden_keys, family.hidden > 0);
  need(layer_keys, family.layers > 0);
  need(head_keys, family.heads > 0);
  need(ffn_keys, family.ffn > 0 || family.ffn_ratio > 0);
  if (!c.misspelt(vocab_keys)) {
    need("vocab_size padded_vocab_size", family.vocab > 0 || family.kind == ModelKind::vit);
  }
}

/// An architecture that is named but not known is not guessed: a wrong shape would look like an answer.
void report_unknown_architecture(const ConfigReader& c, std::string_view name, Reading& reading) {
  const std::string path = c.path() + (c.has("model_type")      ? "/model_type"
                                       : c.has("architectures") ? "/architectures"
                                                                : "");
  const std::string what = name.empty()
                               ? "The config.json has no model_type, and its keys are not those of a plain decoder."
                               : "The architecture " + in_quotes(name) + " is unknown.";
  const std::vector<std::string_view> types = family_types();
  const std::string_view near = nearest(name, types);
  std::string text = what + (near.empty() ? "" : " Did you mean " + in_quotes(near) + '?') +
                     " For a decoder built like a known one, give that one's model_type with hidden_size, "
                     "num_hidden_layers, num_attention_heads, intermediate_size and vocab_size. Allowed: " +
                     list_text(types) + '.';
  reading.fail(path, std::move(text));
}

void check_shape(ConfigReader& c, const ModelShape& m) {
  if (m.heads > 0 && m.kv_heads > 0 && !m.mla.used() && m.heads % m.kv_heads != 0) {
    const auto dividing = legal_values(m.heads, [&](std::int64_t i) { return m.heads % i == 0; });
    c.complain(kv_head_keys, " is " + number_text(m.kv_heads) + ", which does not divide the " + number_text(m.heads) +
                                 " attention heads. Allowed: " + list_text(dividing) + '.');
  }
}

}  // namespace

Result<ModelShape> read_huggingface(const Json& config, std::string_view path) {
  Reading reading;
  if (!expect_object(config, "The config.json", std::string(path), reading)) return std::move(reading.issues);
  ConfigReader outer(config, std::string(path), reading);
  const std::string_view nested = nested_key(config);
  ConfigReader c = nested.empty() ? outer : outer.section(nested);

  for (const Uncovered& part : uncovered) {
    const Json* value = c.find(part.key);
    if (value != nullptr && is_set(*value))
      c.complain(part.key, " stands for " + std::string(part.what) + ", which are not covered.");
  }
  const bool covered = reading.issues.empty();

  const std::string type = c.text("model_type");
  const std::string_view architecture = first_architecture(c.has("architectures") ? c : outer);
  const Family* known = find_family(type);
  if (known == nullptr) known = find_family(architecture_stem(architecture));
  if (known == nullptr && !nested.empty()) known = find_family(outer.text("model_type"));
  const bool named = !type.empty() || !architecture.empty();
  const bool telling = known == nullptr && c.find(telling_keys) != nullptr;
  const bool unknown = known == nullptr && (named || telling);
  if (unknown && covered) {
    report_unknown_architecture(c, type.empty() ? architecture : std::string_view{type}, reading);
    return std::move(reading.issues);
  }
  Family family = known != nullptr ? *known : guess_family(c);
  if (!nested.empty()) family = with_class_sizes(family);

  ModelShape m = read_shape(c, family);
  constexpr std::string_view tie_keys = "tie_word_embeddings weight_tying";
  m.tie_embeddings = c.flag(tie_keys, nested.empty() ? family.tie : outer.flag(tie_keys, family.tie));
  const std::string repository = outer.text("_name_or_path");
  const std::string label = architecture.empty() ? type : std::string(architecture);
  m.name = repository.empty() ? label : repository.substr(repository.find_last_of('/') + 1);
  if (m.name.empty()) m.name = "custom model";

  c.report_misspelt();
  report_missing(c, family, label, reading);
  check_shape(c, m);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return m;
}

}  // namespace meshgauge
