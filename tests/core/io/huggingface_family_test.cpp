// Families of Hugging Face config.json files outside the files at hand, against exact published counts.
#include "core/io/huggingface_family.hpp"

#include "core/catalog/catalog.hpp"
#include "tests/support/huggingface.hpp"

namespace meshgauge {

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

TEST_CASE("OPT 350M has 331,196,416 parameters: narrower embeddings, two projections, no final norm") {
  Json config = config_of("opt-1.3b");  // transformers' count of facebook/opt-350m, whose other keys are those of 1.3B
  config.update({{"hidden_size", 1024},
                 {"ffn_dim", 4096},
                 {"num_hidden_layers", 24},
                 {"num_attention_heads", 16},
                 {"word_embed_proj_dim", 512},
                 {"do_layer_norm_before", false}});
  CHECK(parameters_of(config) == 331196416);
  // Without weights in its norms: two of 24 layers, each of 2 x 1024.
  CHECK(parameters_of(with(config, "layer_norm_elementwise_affine", false)) == 331196416 - 24 * 2 * 2 * 1024);
  CHECK(described(shape_of(config)) == described(*find_model("opt-350m", "/x").value));
}

TEST_CASE(
    "SantaCoder has 1,124,886,528 parameters as either of its types") {  // safetensors total of bigcode/santacoder
  const Json as_gpt2 = {{"model_type", "gpt2"},
                        {"architectures", {"GPT2LMHeadCustomModel"}},
                        {"attention_head_type", "multiquery"},
                        {"n_embd", 2048},
                        {"n_head", 16},
                        {"n_inner", 8192},
                        {"n_layer", 24},
                        {"n_positions", 2048},
                        {"vocab_size", 49280}};
  CHECK(parameters_of(as_gpt2) == 1124886528);
  CHECK(parameters_of(with(as_gpt2, "model_type", "gpt_bigcode")) == 1124886528);
  CHECK(shape_of(with(as_gpt2, "attention_head_type", "multihead")).kv_heads == 16);
}

TEST_CASE("BERT with relative positions has a table of distances in every layer") {
  // transformers modeling_bert.py: Embedding(2 * 512 - 1, 64) in each of 12 layers beside the table of positions.
  for (const char* kind : {"relative_key", "relative_key_query"}) {
    CHECK(parameters_of(with(config_of("bert-base"), "position_embedding_type", kind)) == 109482240 + 12 * 1023 * 64);
  }
}

TEST_CASE("ELECTRA base has 108,891,648 parameters: BERT without a pooler") {  // transformers' ElectraModel
  Json config = with(with(config_of("bert-base"), "model_type", "electra"), "embedding_size", 768);
  CHECK(parameters_of(config) == 108891648);
  CHECK(issues_of(with(config, "embedding_size", 128)).at(0).path == "/model/embedding_size");
}

TEST_CASE("mT5 is gated and unties its head where its config says neither") {  // safetensors total of google/mt5-small
  const Json config = {{"model_type", "mt5"}, {"d_model", 512}, {"d_ff", 1024},        {"num_layers", 8},
                       {"num_heads", 6},      {"d_kv", 64},     {"vocab_size", 250112}};
  CHECK(parameters_of(config) == 300176768);
}

TEST_CASE("FLAN-T5 xxl has 11,135,332,352 parameters") {  // safetensors total of google/flan-t5-xxl
  Json config = config_of("t5-11b");
  config.update({{"d_model", 4096},
                 {"d_ff", 10240},
                 {"d_kv", 64},
                 {"num_heads", 64},
                 {"num_layers", 24},
                 {"num_decoder_layers", 24},
                 {"feed_forward_proj", "gated-gelu"},
                 {"tie_word_embeddings", false}});
  CHECK(parameters_of(config) == 11135332352);
  CHECK(described(shape_of(config)) == described(*find_model("flan-t5-xxl", "/x").value));
}

TEST_CASE("EXAONE 3.5 7.8B has 7,818,448,896 parameters, Seed-OSS 36B 36,151,104,512") {  // safetensors totals
  const Json exaone = {
      {"model_type", "exaone"},        {"hidden_size", 4096},        {"intermediate_size", 14336},  {"num_layers", 32},
      {"num_attention_heads", 32},     {"num_key_value_heads", 8},   {"vocab_size", 102400},        {"head_dim", 128},
      {"activation_function", "silu"}, {"layer_norm_epsilon", 1e-5}, {"tie_word_embeddings", false}};
  CHECK(parameters_of(exaone) == 7818448896);
  const Json seed = {{"model_type", "seed_oss"}, {"hidden_size", 5120},         {"intermediate_size", 27648},
                     {"num_hidden_layers", 64},  {"num_attention_heads", 80},   {"num_key_value_heads", 8},
                     {"head_dim", 128},          {"attention_bias", true},      {"attention_out_bias", false},
                     {"vocab_size", 155136},     {"tie_word_embeddings", false}};
  CHECK(parameters_of(seed) == 36151104512);
}

TEST_CASE("MiniCPM and MiniCPM3 tie their head, and values of the latter are hidden / heads wide") {
  const Json two = {{"model_type", "minicpm"},  // openbmb/MiniCPM-2B: 2,724,880,896, of which 2.4B beside the embedding
                    {"hidden_size", 2304},       {"intermediate_size", 5760}, {"num_hidden_layers", 40},
                    {"num_attention_heads", 36}, {"vocab_size", 122753}};
  CHECK(parameters_of(two) == 2724880896);
  const Json three = {{"model_type", "minicpm3"}, {"hidden_size", 2560},       {"intermediate_size", 6400},
                      {"num_hidden_layers", 62},  {"num_attention_heads", 40}, {"num_key_value_heads", 40},
                      {"q_lora_rank", 768},       {"kv_lora_rank", 256},       {"qk_nope_head_dim", 64},
                      {"qk_rope_head_dim", 32},   {"vocab_size", 73448}};
  CHECK(shape_of(three).mla.v_head_dim == 64);
  CHECK(parameters_of(three) / 1e9 == Approx(4.07).epsilon(0.002));  // openbmb/MiniCPM3-4B, named 4B
}

TEST_CASE("DeepSeek-V3 written by transformers, which names no topk_method, has the router's bias") {
  Json config = config_of("deepseek-v3");
  const double before = parameters_of(config);
  config.erase("topk_method");
  CHECK(parameters_of(config) == before);
}

// Multimodal models leave out of text_config what equals the default of its class.

TEST_CASE("LLaVA 1.5 7B is 7,063,427,072 parameters with its vision tower and projector") {  // its safetensors total
  const Json config = {{"model_type", "llava"},
                       {"architectures", {"LlavaForConditionalGeneration"}},
                       {"text_config",
                        {{"architectures", {"LlamaForCausalLM"}},
                         {"max_position_embeddings", 4096},
                         {"model_type", "llama"},
                         {"rms_norm_eps", 1e-5},
                         {"vocab_size", 32064}}}};
  constexpr double tower = 303507456;                                      // CLIP ViT-L/14 at 336 pixels
  constexpr double projector = 1024 * 4096 + 4096 + 4096 * 4096 + 4096.0;  // modeling_llava.py
  CHECK(parameters_of(config) + tower + projector == 7063427072);
}

TEST_CASE("Pixtral 12B has the language model of Mistral Nemo, its 32 heads unsaid") {
  const Json config = {{"model_type", "llava"},
                       {"text_config",
                        {{"hidden_size", 5120},
                         {"head_dim", 128},
                         {"intermediate_size", 14336},
                         {"max_position_embeddings", 1024000},
                         {"model_type", "mistral"},
                         {"num_hidden_layers", 40},
                         {"num_key_value_heads", 8},
                         {"sliding_window", nullptr},
                         {"vocab_size", 131072}}}};
  CHECK(parameters_of(config) == total_parameters(*find_model("mistral-nemo-12b", "/x").value));
}

TEST_CASE("A top-level config that lacks sizes is incomplete: transformers writes them even where they are usual") {
  CHECK_FALSE(issues_of({{"model_type", "llama"}, {"vocab_size", 32000}}).empty());
}

TEST_CASE("Qwen2 keeps to its window only if use_sliding_window says so") {
  Json config = config_of("qwen2.5-7b");
  config["sliding_window"] = 4096;
  config.erase("use_sliding_window");
  CHECK(shape_of(config).window == 0);
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

}  // namespace meshgauge
