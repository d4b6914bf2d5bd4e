// Public config.json files and what the reader makes of them, for the tests of the reader.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/count/parameters.hpp"
#include "core/io/huggingface.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {

using Json = nlohmann::ordered_json;

/// All that counting sees of a shape, as text, so that a failed comparison shows what differs.
inline std::string described(const ModelShape& m) {
  std::ostringstream text;
  text << name_of(m.kind) << " L" << m.layers << "+" << m.encoder_layers << " h" << m.hidden << " f" << m.ffn << " a"
       << m.heads << " k" << m.kv_heads << " q" << m.head_dim << " V" << m.vocab << " s" << m.max_sequence
       << (m.tie_embeddings ? " tied " : " untied ") << name_of(m.activation) << " " << name_of(m.norm) << " "
       << name_of(m.position) << " rows" << m.position_rows << "/" << m.type_rows << "/" << m.relative_buckets
       << " patch" << m.patch << " bias" << m.bias_qkv << m.bias_attn_out << m.bias_mlp << m.bias_lm_head << " norms"
       << m.norms_per_layer << m.norm_weight << m.norm_bias << m.embedding_norm << m.final_norm << " qk"
       << name_of(m.qk_norm) << " sinks" << m.attention_sinks << " linear" << m.linear_per_full << " window" << m.window
       << "x" << m.local_layers << " e" << m.embedding_width << " mla" << m.mla.q_lora_rank << "/" << m.mla.kv_lora_rank
       << "/" << m.mla.qk_nope_head_dim << "/" << m.mla.qk_rope_head_dim << "/" << m.mla.v_head_dim << " moe"
       << m.moe.experts << "/" << m.moe.top_k << "/" << m.moe.expert_ffn << "/" << m.moe.shared_ffn << "/"
       << m.moe.first_dense_layers << "/" << m.moe.layer_freq << m.moe.router_bias << m.moe.shared_gate << " mtp"
       << m.mtp_depth << " +" << m.extra_parameters;
  return text.str();
}

/// Catalog ids of the config files at hand.
inline std::vector<std::string> public_configs() {
  std::vector<std::string> ids;
  for (const auto& file : std::filesystem::directory_iterator(std::string(MESHGAUGE_TEST_DATA) + "/huggingface")) {
    ids.push_back(file.path().stem().string());
  }
  return ids;
}

inline Json config_of(const std::string& id) {
  std::ifstream file(std::string(MESHGAUGE_TEST_DATA) + "/huggingface/" + id + ".json");
  Json config = Json::parse(file, nullptr, false);
  REQUIRE(config.is_object());
  return config;
}

inline ModelShape shape_of(const Json& config) {
  const Result<ModelShape> shape = read_huggingface(config, "/model");
  for (const Issue& issue : shape.issues) UNSCOPED_INFO(issue.path << ": " << issue.message);
  REQUIRE(shape.ok());
  return *shape.value;
}

inline double parameters_of(const Json& config) { return total_parameters(shape_of(config)); }

inline Issues issues_of(const Json& config) { return read_huggingface(config, "/model").issues; }

inline Json with(Json config, const char* key, Json value) {
  config[key] = std::move(value);
  return config;
}

}  // namespace meshgauge
