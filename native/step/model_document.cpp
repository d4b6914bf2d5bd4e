#include "native/step/model_document.hpp"

#include "core/count/parameters.hpp"
#include "core/io/read_scenario.hpp"

namespace meshgauge::step {
namespace {

using Json = nlohmann::ordered_json;

/// Keys of transformers' GPT2Config and LlamaConfig.
Json config_of(const ModelShape& m) {
  Json config = {{"model_type", m.gated() ? "llama" : "gpt2"},
                 {"hidden_size", m.hidden},
                 {"intermediate_size", m.ffn},
                 {"num_hidden_layers", m.layers},
                 {"num_attention_heads", m.heads},
                 {"vocab_size", m.vocab},
                 {"max_position_embeddings", m.max_sequence > 0 ? m.max_sequence : m.position_rows},
                 {"tie_word_embeddings", m.tie_embeddings}};
  if (m.gated()) {
    config["num_key_value_heads"] = m.kv_heads;
    config["head_dim"] = m.head_dim;
  }
  return config;
}

bool same(const ModelShape& a, const ModelShape& b) {
  return a.layers == b.layers && a.hidden == b.hidden && a.ffn == b.ffn && a.heads == b.heads &&
         a.kv_heads == b.kv_heads && a.head_dim == b.head_dim && a.vocab == b.vocab &&
         total_parameters(a) == total_parameters(b);
}

bool reads_back(const Json& model, const ModelShape& shape) {
  Reading reading;
  const auto read = read_model({{"model", model}}, reading);
  return read && reading.issues.empty() && same(*read, shape);
}

}  // namespace

Json model_document(const ModelShape& shape) {
  for (Json document : {Json(shape.id), config_of(shape)}) {
    if (reads_back(document, shape)) return document;
  }
  return nullptr;
}

}  // namespace meshgauge::step
