// What an answer says of its scenario, asked again, gives the same answer, byte for byte.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::api;
using meshgauge::testing::json;
using ordered = nlohmann::ordered_json;

const char* const scenarios[] = {
    R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":8,"pipeline_parallel_size":4},"training":{"tokens":1e12}})",
    R"({"model":"meta-llama/Llama-2-7b-hf","cluster":{"gpu":"v100-sxm2-32gb","gpus":16}})",
    R"({"model":"gpt2-124m","cluster":{"gpu":"t4","gpus":1},"training":{"recompute":"full"}})",
    R"({"model":"bert-base","cluster":{"system":"4x-rtx-3090"},"training":{"engine":"hf","micro_batch_size":16}})",
    R"({"model":"t5-small","cluster":{"system":"dgx-a100-80gb"},"training":{"engine":"fsdp2"}})",
    R"({"model":"vit-l-16","cluster":{"system":"dgx-a100-80gb"}})",
    R"({"model":"mixtral-8x7b","cluster":{"system":"dgx-h100","gpus":32},"parallelism":{"expert_parallel_size":8,"pipeline_parallel_size":2},"training":{"moe_load_factor":1.25}})",
    R"({"model":"deepseek-v3","cluster":{"system":"deepseek-h800","gpus":2048},"parallelism":{"pipeline_parallel_size":16,"expert_parallel_size":64,"pipeline_schedule":"dualpipe"},"training":{"precision":"fp8","recompute":{"modules":["layernorm","mla_up_projection"]}}})",
    R"({"model":"llama-2-70b","cluster":{"system":"dgx-a100-80gb","gpus":64},"parallelism":{"zero_stage":3},"training":{"recompute":{"method":"block","layers":7}}})",
    R"({"model":"llama-2-13b","cluster":{"system":"dgx-h100","gpus":32,"memory_bytes":81000000000.5,"inter_node_latency_seconds":3.3e-6,"usd_per_gpu_hour":2.1},"parallelism":{"pipeline_parallel_size":4,"virtual_pipeline_size":5}})",
    R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":32},"parallelism":{"pipeline_parallel_size":4,"stage_layers":[7,9,9,7],"tensor_parallel_size":2},"training":{"recompute":"selective","attention":"unfused"}})",
    R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":32},"parallelism":{"pipeline_parallel_size":2,"pipeline_schedule":"zb-v","context_parallel_size":4},"training":{"sequence_length":32768}})",
    R"({"model":{"model_type":"llama","hidden_size":2048,"intermediate_size":5632,"num_hidden_layers":22,"num_attention_heads":32,"num_key_value_heads":4,"vocab_size":32000,"max_position_embeddings":2048,"architectures":["LlamaForCausalLM"]},"cluster":{"system":"dgx-h100"}})",
};

std::string estimate_text(const ordered& scenario) {
  return api(ordered{{"command", "estimate"}, {"scenario", scenario}}.dump());
}

}  // namespace

TEST_CASE("A resolved scenario asked again gives the same bytes") {
  for (const char* scenario : scenarios) {
    const std::string first = estimate_text(ordered::parse(scenario));
    CAPTURE(scenario, first.substr(0, 2000));
    const ordered answer = ordered::parse(first);
    REQUIRE(answer["ok"] == true);
    CHECK(estimate_text(answer["scenario"]) == first);
  }
}

TEST_CASE("Equal requests give equal bytes") {
  for (const char* scenario : scenarios) {
    CHECK(estimate_text(ordered::parse(scenario)) == estimate_text(ordered::parse(scenario)));
  }
}

TEST_CASE("The order of fields does not matter") {
  const std::string one = estimate_text(ordered::parse(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":8,"zero_stage":1}})"));
  const std::string other = estimate_text(ordered::parse(
      R"({"parallelism":{"zero_stage":1,"tensor_parallel_size":8},"cluster":{"gpus":64,"system":"dgx-h100"},"model":"llama-2-7b"})"));
  CHECK(one == other);
}

TEST_CASE("8.0 is read as 8 and written as 8") {
  const auto answer = ordered::parse(estimate_text(ordered::parse(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":64.0},"parallelism":{"tensor_parallel_size":8.0}})")));
  REQUIRE(answer["ok"] == true);
  CHECK(answer["scenario"]["cluster"]["gpus"].dump() == "64");
  CHECK(answer["scenario"]["parallelism"]["tensor_parallel_size"].dump() == "8");
}
