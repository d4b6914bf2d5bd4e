// Requests of real out-of-memory messages name the tensor that their threads came to.
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

using meshgauge::testing::ask;
using meshgauge::testing::json;

namespace {

std::string message(const std::string& thread) {
  std::ostringstream text;
  text << std::ifstream(std::string(MESHGAUGE_TEST_DATA) + "/out_of_memory/" + thread + ".txt").rdbuf();
  return text.str();
}

json decoder(int hidden, int ffn, int layers, int heads, int vocab) {
  return {{"model_type", "llama"},       {"hidden_size", hidden},        {"intermediate_size", ffn},
          {"num_hidden_layers", layers}, {"num_attention_heads", heads}, {"vocab_size", vocab}};
}
const json baichuan_7b = decoder(4096, 11008, 32, 32, 64000);

json on(const json& model, const char* gpu, int gpus, json training, json parallelism = json::object()) {
  return {{"model", model},
          {"cluster", {{"gpu", gpu}, {"gpus", gpus}}},
          {"parallelism", std::move(parallelism)},
          {"training", std::move(training)}};
}

struct Case {
  const char* thread;
  json scenario;
  const char* tensor;
  double width;  ///< bytes an element
  double bytes;  ///< the product that research on the thread gives
};

/// Thread, product and meaning: the threads, read by their authors or by us; the shape is that of the thread's model.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"llamafactory-260", on(baichuan_7b, "a100-sxm-80gb", 8, {{"engine", "deepspeed"}}, {{"zero_stage", 2}}),
       "flat_parameters", 4, 7000559616.0 * 4},
      {"colossalai-4962", on("llama-2-7b", "a100-sxm-80gb", 8, {{"engine", "deepspeed"}}, {{"zero_stage", 2}}),
       "flat_parameters", 4, 6738415616.0 * 4},
      {"dllm-9",
       on(decoder(4096, 12288, 32, 32, 126464), "a100-sxm-80gb", 8, {{"engine", "deepspeed"}}, {{"zero_stage", 2}}),
       "flat_parameters", 2, 8015581184.0 * 2},
      {"llamafactory-1221",
       on("llama-7b", "v100-sxm2-32gb", 8, {{"engine", "deepspeed"}, {"precision", "fp16"}}, {{"zero_stage", 2}}),
       "flat_partition", 4, 6738415616.0 / 8 * 4},
      {"colossalai-4537",
       on("llama-2-7b", "a100-sxm-80gb", 8,
          {{"engine", "deepspeed"}, {"attention", "unfused"}, {"micro_batch_size", 16}, {"sequence_length", 4096}},
          {{"zero_stage", 3}}),
       "scores", 4, 16.0 * 32 * 4096 * 4096 * 4},
      {"megatron-525",
       on("gpt2-large", "v100-sxm2-32gb", 1,
          {{"engine", "megatron"}, {"precision", "fp16"}, {"micro_batch_size", 4}, {"sequence_length", 1024}}),
       "logits", 4, 4096.0 * 50304 * 4},
      {"firefly-33", on(baichuan_7b, "v100-sxm2-32gb", 1, {{"engine", "single"}, {"sequence_length", 1024}}), "logits",
       4, 1024.0 * 64000 * 4},
      {"verl-2828", on("qwen3-8b", "h100-sxm-80gb", 8, {{"engine", "fsdp2"}, {"sequence_length", 24576}}), "logits", 4,
       24576.0 * 151936 * 4},
      {"megatron-bridge-5508",
       on(decoder(2048, 6144, 24, 16, 248320), "h100-sxm-80gb", 8,
          {{"engine", "megatron"}, {"loss", "native"}, {"sequence_length", 4096}}),
       "logits", 4, 4096.0 * 248320 * 4},
      {"litgpt-684", on(baichuan_7b, "a100-sxm-40gb", 1, {{"engine", "single"}, {"sequence_length", 2048}}),
       "embedding", 4, 64000.0 * 4096 * 4},
      {"automodel-2673", on("llama-3-70b", "h100-sxm-80gb", 64, {{"engine", "fsdp2"}, {"sequence_length", 4096}}),
       "embedding", 2, 128256.0 * 8192 * 2},
  };
  return all;
}

json diagnose(const Case& c) {
  return ask({{"command", "diagnose"}, {"text", message(c.thread)}, {"scenario", c.scenario}});
}

}  // namespace

TEST_CASE("The request of a thread's message is the tensor that the thread came to") {
  for (const Case& c : cases()) {
    INFO(c.thread);
    const json answer = diagnose(c);
    INFO(answer.dump());
    REQUIRE(answer.at("ok") == true);
    REQUIRE(answer.at("requests").size() == 1);
    REQUIRE_FALSE(answer.at("candidates").empty());
    const json& first = answer.at("candidates").at(0);
    CHECK(first.at("id") == c.tensor);
    CHECK(first.at("values").at("w") == c.width);
    CHECK(first.at("bytes") == c.bytes);
    CHECK(first.at("unlikely") == false);
  }
}

TEST_CASE("With the model alone a thread's request is solved for its tokens or ranks") {
  struct Solved {
    const char* thread;
    json model;
    const char* tensor;
    const char* symbol;
    double value;
  };
  const std::vector<Solved> solved{{"verl-2828", "qwen3-8b", "logits", "T", 24576},
                                   {"firefly-33", baichuan_7b, "logits", "T", 1024},
                                   {"llamafactory-1221", "llama-7b", "model_partition", "d", 8},
                                   {"colossalai-4537", "llama-2-7b", "scores", "b", 16},
                                   {"automodel-2673", "llama-3-70b", "embedding", "e", 8192}};
  for (const Solved& s : solved) {
    INFO(s.thread);
    const json answer = ask({{"command", "diagnose"}, {"text", message(s.thread)}, {"scenario", {{"model", s.model}}}});
    INFO(answer.dump());
    REQUIRE(answer.at("known") == "model");
    bool found = false;
    for (const json& candidate : answer.at("candidates")) {
      found = found || (candidate.at("id") == s.tensor && candidate.at("values").at(s.symbol) == s.value);
    }
    CHECK(found);
    CHECK(answer.at("estimate").is_null());
    CHECK(answer.at("remedies").empty());
  }
}

TEST_CASE("Without a scenario the catalog's vocabularies and sizes are tried") {
  struct Known {
    const char* thread;
    const char* tensor;
    const char* model;
  };
  for (const Known& known : {Known{"colossalai-4962", "model", "llama-2-7b"}, Known{"verl-2828", "logits", "qwen"},
                             Known{"automodel-2673", "embedding", "llama-3-70b"}}) {
    const json answer = ask({{"command", "diagnose"}, {"text", message(known.thread)}});
    INFO(answer.dump());
    REQUIRE(answer.at("known") == "nothing");
    bool found = false;
    for (const json& candidate : answer.at("candidates")) {
      found = found || (candidate.at("id") == known.tensor &&
                        candidate.at("models").get<std::string>().find(known.model) != std::string::npos);
    }
    CHECK(found);
  }
}

TEST_CASE("A request that names no model is said to be so many parameters, in 4 bytes and in 2") {
  // hiyouga/LlamaFactory#260: 7.00e9 parameters in fp32; dllm#9: 8.0e9 in bf16. Neither model is in the catalog.
  struct Alone {
    const char* text;
    double parameters, width;
  };
  for (const Alone& alone : {Alone{"CUDA out of memory. Tried to allocate 26.08 GiB.", 7.0e9, 4},
                             Alone{"CUDA out of memory. Tried to allocate 26.08 GiB.", 1.4e10, 2},
                             Alone{"CUDA out of memory. Tried to allocate 14.90 GiB.", 8.0e9, 2}}) {
    const json answer = ask({{"command", "diagnose"}, {"text", alone.text}});
    INFO(answer.dump());
    bool found = false;
    for (const json& candidate : answer.at("candidates")) {
      found = found || (candidate.at("id") == "any_model" && candidate.at("values").at("M") == alone.parameters &&
                        candidate.at("values").at("w") == alone.width);
    }
    CHECK(found);
  }
  const json small = ask({{"command", "diagnose"}, {"text", "CUDA out of memory. Tried to allocate 64.00 MiB."}});
  for (const json& candidate : small.at("candidates")) CHECK(candidate.at("id") != "any_model");
}

TEST_CASE("A size that no tensor of the scenario has is not given one") {
  const json scenario = on("llama-2-7b", "a100-sxm-80gb", 8, {{"engine", "fsdp2"}});
  const json answer = ask({{"command", "diagnose"},
                           {"text", "CUDA out of memory. Tried to allocate 7.77 GiB (GPU 0; 79.15 GiB total capacity;"},
                           {"scenario", scenario}});
  for (const json& candidate : answer.at("candidates")) CHECK(candidate.contains("models"));  // of other token counts
}

TEST_CASE("A request of the allocator's own segment names no tensor") {
  for (const char* size : {"2.00 MiB", "20.00 MiB"}) {
    const json answer = ask({{"command", "diagnose"},
                             {"text", "CUDA out of memory. Tried to allocate " + std::string(size) + " (GPU 0; "},
                             {"scenario", on("llama-2-7b", "a100-sxm-80gb", 8, {{"engine", "fsdp2"}})}});
    CHECK(answer.at("candidates").empty());
    REQUIRE(answer.at("findings").size() == 1);
    CHECK(answer.at("findings").at(0).at("id") == "small_segment");
  }
}
