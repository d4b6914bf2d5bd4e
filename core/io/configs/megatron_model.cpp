// The model of Megatron-LM's arguments, as the config.json of the family that has such layers.
#include "core/io/configs/megatron_options.hpp"

namespace meshgauge::megatron_options {
namespace {

const char* family_of(const Json& o) {
  if (is_on(o, "multi-latent-attention")) return "deepseek_v3";
  if (is_on(o, "num-experts")) {
    return is_on(o, "moe-shared-expert-intermediate-size") ? "qwen2_moe"
           : is_on(o, "qk-layernorm")                      ? "qwen3_moe"
                                                           : "mixtral";
  }
  if (word(o, "position-embedding-type", "learned_absolute") == "learned_absolute" &&
      !is_on(o, "use-rotary-position-embeddings")) {
    return "gpt2";
  }
  if (word(o, "normalization", "LayerNorm") == "LayerNorm" && !is_on(o, "swiglu")) return "gpt_neox";
  return is_on(o, "qk-layernorm") ? "qwen3" : is_on(o, "add-qkv-bias") ? "qwen2" : "llama";
}

/// How many of the first layers are dense in "([0]*3+[1]*58)"; -1 if the pattern is another one.
std::int64_t leading_dense(const std::string& pattern, std::int64_t layers) {
  const std::string head = "([0]*";
  if (pattern.compare(0, head.size(), head) != 0) return -1;
  std::int64_t dense = 0;
  std::size_t i = head.size();
  for (; i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9' && dense < layers; ++i) {
    dense = dense * 10 + (pattern[i] - '0');
  }
  return pattern.substr(i) == "+[1]*" + std::to_string(layers - dense) + ")" ? dense : -1;
}

void add_experts(const Json& o, std::int64_t layers, Json& model, ConfigReading& reading) {
  const bool deepseek = model["model_type"] == "deepseek_v3";
  model[model["model_type"] == "mixtral" ? "num_local_experts"
        : deepseek                       ? "n_routed_experts"
                                         : "num_experts"] = whole(o, "num-experts", 1);
  model["num_experts_per_tok"] = whole(o, "moe-router-topk", 2);
  const std::int64_t width = whole(o, "moe-ffn-hidden-size", whole(o, "ffn-hidden-size", 0));
  model[model["model_type"] == "mixtral" ? "intermediate_size" : "moe_intermediate_size"] = width;
  if (const Json* shared = find(o, "moe-shared-expert-intermediate-size"); shared != nullptr) {
    if (deepseek) {
      model["n_shared_experts"] = width > 0 ? whole(o, "moe-shared-expert-intermediate-size", 0) / width : 0;
    } else {
      model["shared_expert_intermediate_size"] = *shared;
    }
  }
  const Json* pattern = find(o, "moe-layer-freq");
  if (pattern == nullptr || *pattern == Json(1)) return;
  const std::int64_t dense = pattern->is_string() ? leading_dense(pattern->get<std::string>(), layers) : -1;
  if (deepseek && dense >= 0) {
    model["first_k_dense_replace"] = dense;
  } else {
    reading.warnings.push_back(
        {"/model", "Which layers have experts is not carried over: all are taken to have them."});
  }
}

}  // namespace

void read_model(const Json& o, ConfigReading& reading) {
  if (find(o, "num-layers") == nullptr || find(o, "hidden-size") == nullptr) return;
  const std::int64_t hidden = whole(o, "hidden-size", 0), layers = whole(o, "num-layers", 0);
  const std::int64_t heads = whole(o, "num-attention-heads", 1);
  Json model;
  model["model_type"] = family_of(o);
  model["hidden_size"] = hidden;
  model["num_hidden_layers"] = layers;
  model["num_attention_heads"] = heads;
  model["num_key_value_heads"] = is_on(o, "group-query-attention") ? whole(o, "num-query-groups", 1) : heads;
  if (find(o, "kv-channels") != nullptr) model["head_dim"] = whole(o, "kv-channels", 0);
  // arguments.py: 4 h, or two thirds of that with SwiGLU in multiples of 64
  const std::int64_t plain = is_on(o, "swiglu") ? hidden * 8 / 3 / 64 * 64 : 4 * hidden;
  model["intermediate_size"] = whole(o, "ffn-hidden-size", plain);
  const std::int64_t extra = word(o, "tokenizer-type", "") == "NullTokenizer" ? 1 : 0;
  if (find(o, "vocab-size") != nullptr) {
    model["vocab_size"] = whole(o, "vocab-size", 0) + extra;
  } else {
    model["vocab_size"] = whole(o, "padded-vocab-size", 50257);
    if (find(o, "padded-vocab-size") == nullptr) {
      reading.warnings.push_back(
          {"/model", "The vocabulary stands in the tokenizer's file: 50,257 is taken, GPT-2's."});
    }
  }
  model["max_position_embeddings"] = whole(o, "max-position-embeddings", whole(o, "seq-length", 2048));
  model["tie_word_embeddings"] = !is_on(o, "untie-embeddings-and-output-weights");
  const std::string family = model["model_type"];
  if (family == "llama") model["attention_bias"] = model["mlp_bias"] = !is_on(o, "disable-bias-linear");
  if (family == "deepseek_v3") {
    model["q_lora_rank"] = find(o, "q-lora-rank") != nullptr ? Json(whole(o, "q-lora-rank", 0)) : Json(nullptr);
    model["kv_lora_rank"] = whole(o, "kv-lora-rank", 32);
    model["qk_nope_head_dim"] = whole(o, "qk-head-dim", 128);
    model["qk_rope_head_dim"] = whole(o, "qk-pos-emb-head-dim", 64);
    model["v_head_dim"] = whole(o, "v-head-dim", 128);
    model["num_nextn_predict_layers"] = whole(o, "mtp-num-layers", 0);
  }
  if (is_on(o, "num-experts")) add_experts(o, layers, model, reading);
  reading.set("/model", std::move(model));
}

}  // namespace meshgauge::megatron_options
