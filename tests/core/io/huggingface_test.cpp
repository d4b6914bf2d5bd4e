// Hugging Face config.json files: the shapes of public models, families outside the catalog, and what is refused.
#include "core/io/huggingface.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/catalog/catalog.hpp"
#include "core/count/parameters.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// All that counting sees of a shape, as text, so that a failed comparison shows what differs.
std::string described(const ModelShape& m) {
  std::ostringstream text;
  text << name_of(m.kind) << " L" << m.layers << "+" << m.encoder_layers << " h" << m.hidden << " f" << m.ffn << " a"
       << m.heads << " k" << m.kv_heads << " q" << m.head_dim << " V" << m.vocab << " s" << m.max_sequence
       << (m.tie_embeddings ? " tied " : " untied ") << name_of(m.activation) << " " << name_of(m.norm) << " "
       << name_of(m.position) << " rows" << m.position_rows << "/" << m.type_rows << "/" << m.relative_buckets
       << " patch" << m.patch << " bias" << m.bias_qkv << m.bias_attn_out << m.bias_mlp << m.bias_lm_head << " norms"
       << m.norms_per_layer << m.norm_weight << m.norm_bias << m.embedding_norm << m.final_norm << " qk"
       << name_of(m.qk_norm) << " sinks" << m.attention_sinks << " linear" << m.linear_per_full << " window" << m.window
       << "x" << m.local_layers << " mla" << m.mla.q_lora_rank << "/" << m.mla.kv_lora_rank << "/"
       << m.mla.qk_nope_head_dim << "/" << m.mla.qk_rope_head_dim << "/" << m.mla.v_head_dim << " moe" << m.moe.experts
       << "/" << m.moe.top_k << "/" << m.moe.expert_ffn << "/" << m.moe.shared_ffn << "/" << m.moe.first_dense_layers
       << "/" << m.moe.layer_freq << m.moe.router_bias << m.moe.shared_gate << " mtp" << m.mtp_depth << " +"
       << m.extra_parameters;
  return text.str();
}

/// Catalog ids of the config files at hand.
std::vector<std::string> public_configs() {
  std::vector<std::string> ids;
  for (const auto& file : std::filesystem::directory_iterator(std::string(MESHGAUGE_TEST_DATA) + "/huggingface")) {
    ids.push_back(file.path().stem().string());
  }
  return ids;
}

Json config_of(const std::string& id) {
  std::ifstream file(std::string(MESHGAUGE_TEST_DATA) + "/huggingface/" + id + ".json");
  Json config = Json::parse(file, nullptr, false);
  REQUIRE(config.is_object());
  return config;
}

ModelShape shape_of(const Json& config) {
  const Result<ModelShape> shape = read_huggingface(config, "/model");
  for (const Issue& issue : shape.issues) UNSCOPED_INFO(issue.path << ": " << issue.message);
  REQUIRE(shape.ok());
  return *shape.value;
}

double parameters_of(const Json& config) { return total_parameters(shape_of(config)); }

Issues issues_of(const Json& config) { return read_huggingface(config, "/model").issues; }

Json with(Json config, const char* key, Json value) {
  config[key] = std::move(value);
  return config;
}

}  // namespace

TEST_CASE("Public config.json files give the shapes of the catalog") {
  CHECK(public_configs().size() >= 79);
  for (const std::string& id : public_configs()) {
    INFO(id);
    const Result<ModelShape> known = find_model(id, "/model");
    REQUIRE(known.ok());
    CHECK(described(shape_of(config_of(id))) == described(*known.value));
  }
}

TEST_CASE("A pasted config.json is named after its repository or architecture") {
  const ModelShape llama = shape_of(config_of("llama-2-7b"));
  CHECK(llama.id == "custom");
  CHECK(llama.name == "Llama-2-7b-hf");
  CHECK(shape_of(config_of("mixtral-8x7b")).name == "MixtralForCausalLM");
}

// Families that the catalog has no model of, against exact published counts.

TEST_CASE("OLMoE-1B-7B has 6,919,161,856 parameters") {  // safetensors total of allenai/OLMoE-1B-7B-0924
  const Json config = {{"model_type", "olmoe"},     {"hidden_size", 2048},
                       {"intermediate_size", 1024}, {"num_hidden_layers", 16},
                       {"num_attention_heads", 16}, {"num_key_value_heads", 16},
                       {"num_experts", 64},         {"num_experts_per_tok", 8},
                       {"vocab_size", 50304},       {"tie_word_embeddings", false},
                       {"rms_norm_eps", 1e-5},      {"hidden_act", "silu"},
                       {"attention_bias", false},   {"max_position_embeddings", 4096}};
  CHECK(parameters_of(config) == 6919161856);
  CHECK(active_parameters(shape_of(config)) == 6919161856.0 - 5637144576.0);
}

TEST_CASE("StarCoder has 15,517,456,384 parameters") {  // bigcode/starcoder, one KV head
  const Json config = {{"model_type", "gpt_bigcode"},
                       {"n_embd", 6144},
                       {"n_head", 48},
                       {"n_inner", 24576},
                       {"n_layer", 40},
                       {"n_positions", 8192},
                       {"multi_query", true},
                       {"vocab_size", 49152},
                       {"activation_function", "gelu_pytorch_tanh"}};
  CHECK(parameters_of(config) == 15517456384);
}

TEST_CASE("GPT-J has 6,050,882,784 parameters") {  // transformers' count of EleutherAI/gpt-j-6B
  const Json config = {{"model_type", "gptj"},
                       {"n_embd", 4096},
                       {"n_head", 16},
                       {"n_inner", nullptr},
                       {"n_layer", 28},
                       {"n_positions", 2048},
                       {"rotary_dim", 64},
                       {"vocab_size", 50400},
                       {"activation_function", "gelu_new"},
                       {"tie_word_embeddings", false}};
  CHECK(parameters_of(config) == 6050882784);
}

TEST_CASE("GPT-Neo 1.3B has 1,315,575,808 parameters") {  // transformers' count of EleutherAI/gpt-neo-1.3B
  const Json config = {{"model_type", "gpt_neo"}, {"hidden_size", 2048},          {"num_heads", 16},
                       {"num_layers", 24},        {"intermediate_size", nullptr}, {"max_position_embeddings", 2048},
                       {"vocab_size", 50257},     {"window_size", 256},           {"activation_function", "gelu_new"}};
  CHECK(parameters_of(config) == 1315575808);
  CHECK(shape_of(config).local_layers == 12);
}

TEST_CASE("Phi-1.5 has 1,418,270,720 parameters") {  // safetensors total of microsoft/phi-1_5
  const Json config = {{"model_type", "phi"},      {"hidden_size", 2048},       {"intermediate_size", 8192},
                       {"num_hidden_layers", 24},  {"num_attention_heads", 32}, {"num_key_value_heads", nullptr},
                       {"hidden_act", "gelu_new"}, {"vocab_size", 51200},       {"max_position_embeddings", 2048},
                       {"qk_layernorm", false}};
  CHECK(parameters_of(config) == 1418270720);
}

TEST_CASE("RoBERTa base has 124,645,632 parameters, DistilBERT 66,362,880") {  // keras-hub and transformers counts
  const Json roberta = {{"model_type", "roberta"},        {"hidden_size", 768},        {"intermediate_size", 3072},
                        {"num_hidden_layers", 12},        {"num_attention_heads", 12}, {"type_vocab_size", 1},
                        {"max_position_embeddings", 514}, {"vocab_size", 50265},       {"hidden_act", "gelu"}};
  CHECK(parameters_of(roberta) == 124645632);
  CHECK(shape_of(roberta).max_sequence == 512);
  const Json distilbert = {{"model_type", "distilbert"},
                           {"dim", 768},
                           {"hidden_dim", 3072},
                           {"n_layers", 6},
                           {"n_heads", 12},
                           {"max_position_embeddings", 512},
                           {"activation", "gelu"},
                           {"vocab_size", 30522},
                           {"tie_weights_", true}};
  CHECK(parameters_of(distilbert) == 66362880);
}

TEST_CASE("GLM-4 in its newer form has the count of its older one") {  // zai-org/glm-4-9b-hf
  const Json config = {{"model_type", "glm"},
                       {"hidden_size", 4096},
                       {"intermediate_size", 13696},
                       {"num_hidden_layers", 40},
                       {"num_attention_heads", 32},
                       {"num_key_value_heads", 2},
                       {"head_dim", 128},
                       {"attention_bias", true},
                       {"vocab_size", 151552},
                       {"tie_word_embeddings", false}};
  CHECK(parameters_of(config) == 9399951360);
}

TEST_CASE("MiniMax-M2 has 256 experts, a routing bias and norms over whole queries and keys") {
  const Json config = {{"model_type", "minimax_m2"},
                       {"hidden_size", 3072},
                       {"intermediate_size", 1536},
                       {"num_hidden_layers", 62},
                       {"num_attention_heads", 48},
                       {"num_key_value_heads", 8},
                       {"head_dim", 128},
                       {"num_local_experts", 256},
                       {"num_experts_per_tok", 8},
                       {"use_qk_norm", true},
                       {"use_routing_bias", true},
                       {"use_mtp", true},
                       {"num_mtp_modules", 3},
                       {"vocab_size", 200064},
                       {"shared_intermediate_size", 0},
                       {"tie_word_embeddings", false}};
  const ModelShape m = shape_of(config);
  CHECK(m.qk_norm == QkNorm::full);
  CHECK(m.moe.router_bias);
  CHECK(m.mtp_depth == 3);
  CHECK(total_parameters(m) / 1e9 == Approx(228.7).epsilon(0.001));  // MiniMax names it 229B
}

TEST_CASE("StableLM, InternLM, Granite and Cohere 2 differ from Llama as their code does") {
  Json llama = config_of("llama-2-7b");
  const auto typed = [&](const char* type) { return with(with(llama, "model_type", type), "architectures", nullptr); };
  const ModelShape stablelm =
      shape_of(with(with(typed("stablelm"), "use_parallel_residual", true), "qk_layernorm", true));
  CHECK(stablelm.norm == Norm::layernorm);
  CHECK(stablelm.norms_per_layer == 1);
  CHECK(stablelm.qk_norm == QkNorm::full);
  const ModelShape internlm = shape_of(with(typed("internlm"), "bias", true));
  CHECK(internlm.bias_qkv);
  CHECK(internlm.bias_attn_out);
  CHECK_FALSE(internlm.bias_mlp);
  CHECK(shape_of(typed("granite")).norm == Norm::rmsnorm);
  Json cohere = typed("cohere2");
  cohere["sliding_window"] = 2048;
  cohere["sliding_window_pattern"] = 4;
  CHECK(shape_of(cohere).local_layers == 24);
  CHECK(shape_of(cohere).norms_per_layer == 1);
}

TEST_CASE("Layer types listed one by one say which layers keep to a window") {
  Json config = config_of("gpt-oss-20b");
  config["layer_types"] = Json::array({"sliding_attention", "sliding_attention", "full_attention"});
  CHECK(shape_of(config).local_layers == 2);
}

TEST_CASE("A window as wide as the model's context is none") {
  CHECK(shape_of(with(config_of("mistral-7b"), "sliding_window", 32768)).window == 0);
  CHECK(shape_of(with(config_of("mistral-7b"), "sliding_window", nullptr)).window == 0);
}

TEST_CASE("Keys that say nothing of the shape are ignored") {
  Json config = config_of("llama-2-7b");
  const std::string before = described(shape_of(config));
  config["torch_dtype"] = 7;
  config["rope_scaling"] = Json::array({1, "x"});
  config["quantization_config"] = {{"bits", 4}};
  config["anything else"] = nullptr;
  CHECK(described(shape_of(config)) == before);
}

TEST_CASE("Whole numbers may be written with a decimal point") {
  CHECK(shape_of(with(config_of("llama-2-7b"), "hidden_size", 4096.0)).hidden == 4096);
}

TEST_CASE("A config that names no model_type is read by its usual keys") {
  const Json config = {{"hidden_size", 4096},     {"intermediate_size", 11008},
                       {"num_hidden_layers", 32}, {"num_attention_heads", 32}, {"vocab_size", 32000},
                       {"rms_norm_eps", 1e-6},    {"hidden_act", "silu"},      {"tie_word_embeddings", false}};
  CHECK(parameters_of(config) == 6738415616);  // as Llama 2 7B
  Json classic = with(with(config, "hidden_act", "gelu"), "layer_norm_eps", 1e-5);
  classic.erase("rms_norm_eps");
  const ModelShape m = shape_of(classic);
  CHECK(m.norm == Norm::layernorm);
  CHECK(m.mlp_matrices() == 2);
  CHECK(m.bias_mlp);
}

TEST_CASE("The architecture's name stands in for a missing model_type") {
  Json config = config_of("qwen2.5-7b");
  const std::string before = described(shape_of(config));
  config.erase("model_type");
  CHECK(described(shape_of(config)) == before);
  Json neox = config_of("gpt-neox-20b");
  neox.erase("model_type");
  CHECK(described(shape_of(neox)) == described(*find_model("gpt-neox-20b", "/x").value));
}

TEST_CASE("An unknown architecture is not guessed: the message names what is known and which keys are needed") {
  Json config = config_of("llama-2-7b");
  config.erase("architectures");
  config["model_type"] = "lama";  // the guess would tie the embeddings
  const Issues typo = issues_of(config);
  REQUIRE(typo.size() == 1);
  CHECK(typo[0].path == "/model/model_type");
  CHECK(typo[0].message.find("The architecture \"lama\" is unknown. Did you mean \"llama\"? Allowed: ") == 0);
  CHECK(typo[0].message.find("hidden_size, num_hidden_layers, num_attention_heads, intermediate_size and vocab_size") !=
        std::string::npos);
  const Issues wombat = issues_of({{"architectures", {"WombatForCausalLM"}}, {"hidden_size", 4096}});
  REQUIRE(wombat.size() == 1);
  CHECK(wombat[0].path == "/model/architectures");
}

TEST_CASE("A config that does not say what it is needs the usual keys, and none of another architecture") {
  CHECK(issues_of(Json::object())[0].message.find("hidden_size, num_hidden_layers") != std::string::npos);
  Json bert = config_of("bert-base");
  bert.erase("model_type");
  bert.erase("architectures");
  REQUIRE(issues_of(bert).size() == 1);
  CHECK(issues_of(bert)[0].message.find("no model_type") != std::string::npos);
}

TEST_CASE("All wrong values are reported at once, with path, value and what is allowed") {
  Json config = config_of("llama-2-7b");
  config["hidden_size"] = -4096;
  config["num_hidden_layers"] = 1e300;
  config["num_attention_heads"] = "32";
  config["intermediate_size"] = 11008.5;
  config["vocab_size"] = 0;
  config["tie_word_embeddings"] = "yes";
  config["hidden_act"] = 3;
  std::string paths;
  for (const Issue& issue : issues_of(config)) paths += issue.path + " ";
  for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
                          "tie_word_embeddings", "hidden_act"}) {
    CHECK(paths.find("/model/" + std::string(key) + " ") != std::string::npos);
  }
  const Issues one = issues_of(with(config_of("llama-2-7b"), "hidden_size", -4096));
  REQUIRE(one.size() == 1);
  CHECK(one[0] == Issue{"/model/hidden_size", "hidden_size is -4,096. Allowed: 1 to 1,048,576."});
}

TEST_CASE("Heads must divide") {
  const Issues kv = issues_of(with(config_of("llama-3-8b"), "num_key_value_heads", 5));
  REQUIRE(kv.size() == 1);
  CHECK(kv[0] ==
        Issue{"/model/num_key_value_heads", "num_key_value_heads is 5, which does not divide the 32 attention heads."});
  const Issues heads = issues_of(with(config_of("gpt2-124m"), "n_head", 7));
  REQUIRE(heads.size() == 1);
  CHECK(heads[0].path == "/model/n_head");
  CHECK(issues_of(with(config_of("mixtral-8x7b"), "num_experts_per_tok", 9)).at(0).path ==
        "/model/num_experts_per_tok");
}

TEST_CASE("Issues of a nested language model name the nested key") {
  Json config = config_of("gemma-3-4b");
  config["text_config"]["hidden_size"] = "wide";
  const Issues issues = issues_of(config);
  REQUIRE_FALSE(issues.empty());
  CHECK(issues[0].path == "/model/text_config/hidden_size");
}

TEST_CASE("Models with parts that cannot be counted are refused by the key that tells") {
  const Issues mamba = issues_of({{"model_type", "jamba"}, {"hidden_size", 4096}, {"mamba_d_state", 16}});
  REQUIRE(mamba.size() == 1);
  CHECK(mamba[0] ==
        Issue{"/model/mamba_d_state", "mamba_d_state stands for state-space layers, which are not covered."});
  CHECK(issues_of(with(config_of("deepseek-v3"), "index_topk", 2048)).at(0).path == "/model/index_topk");
  CHECK(issues_of(with(config_of("opt-1.3b"), "word_embed_proj_dim", 512)).at(0).path == "/model/word_embed_proj_dim");
}

TEST_CASE("Experts in layers without a rule are refused, other placements understood") {
  Json qwen = config_of("qwen3-30b-a3b");
  qwen["decoder_sparse_step"] = 2;
  ModelShape m = shape_of(qwen);
  CHECK(m.moe.layer_freq == 2);
  CHECK(m.moe.first_dense_layers == 0);
  CHECK(m.ffn == 6144);
  qwen["decoder_sparse_step"] = 1;
  qwen["mlp_only_layers"] = {0, 1};
  CHECK(shape_of(qwen).moe.first_dense_layers == 2);
  qwen["mlp_only_layers"] = {5};
  CHECK(issues_of(qwen).at(0).path == "/model/mlp_only_layers");
  Json maverick = config_of("llama-4-maverick");
  maverick["text_config"]["moe_layers"] = {1, 3, 5};
  maverick["text_config"]["num_hidden_layers"] = 6;
  CHECK(shape_of(maverick).moe.layer_freq == 2);
}

TEST_CASE("Whatever JSON is given, the answer is a shape or issues") {
  for (const Json& value : {Json(nullptr), Json(3), Json("llama"), Json::array({1, 2}), Json::object()}) {
    CHECK_FALSE(issues_of(value).empty());
  }
  const std::vector<Json> odd = {
      nullptr, true, -1, 1e300, "x", Json::array(), Json::array({1, "x", nullptr}), Json::object(), {{"a", 1}}};
  for (const std::string& id : public_configs()) {
    const Json config = config_of(id);
    for (const auto& item : config.items()) {
      for (const Json& value : odd) {
        Json broken = with(config, item.key().c_str(), value);
        const Result<ModelShape> result = read_huggingface(broken, "/model");
        CHECK(result.ok() == result.issues.empty());
        for (const Issue& issue : result.issues) {
          INFO(issue.path << ": " << issue.message);
          CHECK(std::count(result.issues.begin(), result.issues.end(), issue) == 1);
        }
        broken.erase(item.key());
        CHECK(read_huggingface(broken, "").ok() == read_huggingface(broken, "").issues.empty());
      }
    }
  }
}

}  // namespace meshgauge
