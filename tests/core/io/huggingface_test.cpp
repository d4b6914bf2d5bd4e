// Hugging Face config.json files: the shapes of public models, other spellings, and what is refused.
#include "core/io/huggingface.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/catalog/catalog.hpp"
#include "tests/support/huggingface.hpp"

namespace meshgauge {

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
  const Json config = {{"hidden_size", 4096},       {"intermediate_size", 11008},  {"num_hidden_layers", 32},
                       {"num_attention_heads", 32}, {"vocab_size", 32000},         {"rms_norm_eps", 1e-6},
                       {"hidden_act", "silu"},      {"tie_word_embeddings", false}};
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
  CHECK(typo[0].message.find(
            "The architecture \"lama\" is unknown. Did you mean \"llama\"? For a decoder built like ") == 0);
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
  CHECK(kv[0] == Issue{"/model/num_key_value_heads",
                       "num_key_value_heads is 5, which does not divide the 32 attention heads. "
                       "Allowed: 1, 2, 4, 8, 16, 32."});
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
  REQUIRE(mamba.size() == 5);
  CHECK(mamba[0] ==
        Issue{"/model/mamba_d_state", "mamba_d_state stands for state-space layers, which are not covered."});
  CHECK(mamba[1].path == "/model/num_hidden_layers");
  CHECK(issues_of(with(config_of("deepseek-v3"), "index_topk", 2048)).at(0).path == "/model/index_topk");
  CHECK(issues_of(with(config_of("gpt2-124m"), "add_cross_attention", true)).at(0).path ==
        "/model/add_cross_attention");
  CHECK(issues_of(with(config_of("bert-base"), "position_embedding_type", "rotary")).at(0).path ==
        "/model/position_embedding_type");
}

TEST_CASE("Each key that is missing is told at its place, with its other names") {
  Json config = config_of("llama-2-7b");
  config.erase("hidden_size");
  config.erase("vocab_size");
  const Issues issues = issues_of(config);
  REQUIRE(issues.size() == 2);
  CHECK(issues[0] ==
        Issue{"/model/hidden_size", "hidden_size is missing. Other names: n_embd, d_model, n_embed, dim."});
  CHECK(issues[1].path == "/model/vocab_size");
}

TEST_CASE("A key that is misspelt is told, and not called missing too") {
  Json config = config_of("llama-3-8b");
  config.erase("num_key_value_heads");
  config["num_key_value_head"] = 8;
  config.erase("hidden_size");
  config["hidden_sise"] = 4096;
  const Issues issues = issues_of(config);
  REQUIRE(issues.size() == 2);
  std::string all;
  for (const Issue& issue : issues) all += issue.path + ' ' + issue.message + '\n';
  CHECK(all.find("/model/num_key_value_head There is no field \"num_key_value_head\" here. Did you mean "
                 "\"num_key_value_heads\"?") != std::string::npos);
  CHECK(all.find("\"hidden_size\"?") != std::string::npos);
}

TEST_CASE("Keys that say nothing of the shape are ignored, near to one that is read or not") {
  Json config = config_of("llama-3-8b");
  for (const char* key :
       {"pretraining_tp", "rope_theta", "attention_dropout", "num_experts_per_tokens_x", "torch_dtype",
        "num_key_value_head", "qk_head_dim", "use_cache", "head_dims_list", "initializer_range"}) {
    config[key] = 1;
  }
  CHECK(issues_of(config).empty());
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
