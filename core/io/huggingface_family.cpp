// The table of families.
#include "core/io/huggingface_family.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/huggingface_finish.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto learned = Position::learned;
constexpr auto layernorm = Norm::layernorm;
constexpr auto plain_gelu = Activation::gelu;

// clang-format off
constexpr auto families = std::to_array<Family>({
  {.types = "smollm3", .tie = true, .nested = {2048, 11008, 36, 16, 4, 128256, 32768}},
  {.types = "llama yi aquila xverse granite granitemoe granitemoeshared llava llava_llama", .nested = {4096, 11008, 32, 32, 0, 32000, 2048}},
  {.types = "exaone", .tie = true},
  {.types = "seed_oss", .biases = Biases::qkv, .attention_bias_on_output = false},
  {.types = "minicpm", .tie = true, .nested = {4096, 11008, 32, 32, 0, 32000, 2048}},
  {.types = "minicpm3", .tie = true, .finish = finish_minicpm3},
  {.types = "mistral ministral", .kv_heads = 8, .window = 4096, .nested = {4096, 14336, 32, 32, 8, 32000, 131072}},
  {.types = "mixtral", .kv_heads = 8, .nested = {4096, 14336, 32, 32, 8, 32000, 131072}},
  {.types = "qwen", .biases = Biases::qkv, .positions = 8192, .finish = finish_qwen},
  {.types = "qwen2 mimo", .biases = Biases::qkv, .attention_bias_on_output = false, .window_on = false, .nested = {4096, 22016, 32, 32, 32, 151936, 32768}},
  {.types = "qwen2_vl qwen2_5_vl qwen2_vl_text qwen2_5_vl_text", .biases = Biases::qkv, .attention_bias_on_output = false, .window_on = false, .nested = {8192, 29568, 80, 64, 8, 152064, 32768}},
  {.types = "qwen2_moe", .biases = Biases::qkv, .window_on = false, .nested = {2048, 5632, 24, 16, 16, 151936, 32768}, .finish = finish_qwen2_moe},
  {.types = "qwen3 qwen3_vl_text", .qk_norm = QkNorm::head, .head_dim = 128, .window_on = false, .nested = {4096, 22016, 32, 32, 32, 151936, 32768}},
  {.types = "qwen3_moe qwen3_vl_moe_text", .qk_norm = QkNorm::head, .window_on = false},
  {.types = "deepseek deepseek_v2", .nested = {4096, 11008, 32, 32, 0, 32000, 2048}, .finish = finish_deepseek},
  {.types = "deepseek_v3 kimi_k2", .nested = {7168, 18432, 61, 128, 128, 129280, 4096}, .finish = finish_deepseek_v3},
  {.types = "glm4_moe", .biases = Biases::qkv, .attention_bias_on_output = false, .qk_norm = QkNorm::head, .qk_norm_on = false, .finish = finish_router_bias},
  {.types = "glm", .biases = Biases::qkv, .attention_bias_on_output = false, .nested = {4096, 13696, 40, 32, 2, 151552, 131072}},
  {.types = "glm4", .biases = Biases::qkv, .attention_bias_on_output = false, .norms = 4},
  {.types = "chatglm", .finish = finish_chatglm},
  {.types = "gemma", .activation = Activation::geglu, .tie = true, .head_dim = 256, .positions = 8192, .nested = {3072, 24576, 28, 16, 16, 256000, 8192}},
  {.types = "gemma2", .activation = Activation::geglu, .tie = true, .norms = 4, .heads = 8, .kv_heads = 4, .head_dim = 256, .vocab = 256000, .positions = 8192, .window = 4096, .window_period = 2, .nested = {2304, 9216, 26}},
  {.types = "gemma3_text gemma3", .activation = Activation::geglu, .tie = true, .norms = 4, .qk_norm = QkNorm::head, .heads = 8, .kv_heads = 4, .head_dim = 256, .vocab = 262208, .positions = 131072, .window = 4096, .window_period = 6, .nested = {2304, 9216, 26}},
  {.types = "gpt2", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 1024, .ffn_ratio = 4, .nested = {.hidden = 768, .layers = 12, .heads = 12}, .finish = finish_gpt2},
  {.types = "gpt_bigcode", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 1024, .ffn_ratio = 4, .finish = finish_bigcode},
  {.types = "gpt_neo", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50257, .positions = 2048, .ffn_ratio = 4, .window = 256, .finish = finish_gpt_neo},
  {.types = "gpt_neox", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::all, .vocab = 50432, .positions = 2048, .ffn_ratio = 4},
  {.types = "gptj codegen", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::mlp, .norms = 1, .vocab = 50400, .positions = 2048, .ffn_ratio = 4, .finish = [](ConfigReader&, ModelShape& m) { m.bias_lm_head = true; }},
  {.types = "starcoder2", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .tie = true, .biases = Biases::all, .kv_heads = 2, .vocab = 49152, .positions = 4096, .finish = finish_starcoder2},
  {.types = "phi phi_msft", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .biases = Biases::all, .norms = 1, .vocab = 51200, .positions = 2048, .ffn_ratio = 4, .nested = {2048, 8192, 24, 32}, .finish = [](ConfigReader&, ModelShape& m) { m.bias_lm_head = true; }},
  {.types = "phi3 phi3_v", .vocab = 32064, .positions = 4096, .nested = {3072, 8192, 32, 32}},
  {.types = "phi3small", .activation = Activation::geglu, .norm = layernorm, .norm_bias = true, .tie = true, .biases = Biases::all, .kv_heads = 8, .vocab = 100352, .positions = 8192, .finish = finish_phi3small},
  {.types = "phimoe", .norm = layernorm, .norm_bias = true},
  {.types = "falcon refinedweb refinedwebmodel rw", .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .tie = true, .vocab = 65024, .positions = 2048, .ffn_ratio = 4, .finish = finish_falcon},
  {.types = "opt", .gated = false, .activation = Activation::relu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50272, .positions = 2048, .nested = {768, 3072, 12, 12}, .finish = finish_opt},
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
  {.types = "bert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 30522, .positions = 512, .nested = {768, 3072, 12, 12}, .finish = finish_bert},
  {.types = "electra", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 30522, .positions = 512, .finish = finish_electra},
  {.types = "roberta xlm_roberta camembert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 50265, .positions = 512, .nested = {768, 3072, 12, 12}, .finish = finish_roberta},
  {.types = "distilbert", .kind = ModelKind::encoder, .gated = false, .activation = plain_gelu, .norm = layernorm, .norm_bias = true, .position = learned, .tie = true, .biases = Biases::all, .vocab = 30522, .positions = 512, .finish = finish_distilbert},
  {.types = "t5", .kind = ModelKind::encoder_decoder, .gated = false, .activation = Activation::relu, .position = Position::relative, .tie = true, .head_dim = 64, .vocab = 32128, .positions = 512, .nested = {512, 2048, 6, 8}, .finish = finish_t5},
  {.types = "mt5", .kind = ModelKind::encoder_decoder, .gated = false, .activation = Activation::relu, .position = Position::relative, .head_dim = 64, .vocab = 250112, .positions = 512, .nested = {512, 1024, 8, 6}, .finish = finish_mt5},
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

Family with_class_sizes(Family family) {
  const auto fill = [](std::int64_t& value, std::int64_t by_default) {
    if (value == 0) value = by_default;
  };
  const ClassSizes& sizes = family.nested;
  fill(family.hidden, sizes.hidden);
  fill(family.ffn, sizes.ffn);
  fill(family.layers, sizes.layers);
  fill(family.heads, sizes.heads);
  fill(family.kv_heads, sizes.kv_heads);
  fill(family.vocab, sizes.vocab);
  fill(family.positions, sizes.positions);
  return family;
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
