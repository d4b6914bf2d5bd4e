// Legal scenarios that are worth a word.
#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::estimate;
using meshgauge::testing::json;

bool warns(const char* scenario, const char* path, const char* says) {
  const json warnings = estimate(json::parse(scenario)).at("warnings");
  INFO(warnings.dump());
  return std::any_of(warnings.begin(), warnings.end(), [&](const json& w) {
    return w.at("path") == path && w.at("message").get<std::string>().find(says) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("A plain scenario has no warnings") {
  CHECK(estimate(json::parse(R"({"model":"llama-2-70b","cluster":{"system":"dgx-h100","gpus":64},
    "parallelism":{"tensor_parallel_size":8,"pipeline_parallel_size":4}})"))
            .at("warnings")
            .empty());
}

TEST_CASE("Tensor parallelism over nodes, without sequence parallelism, or beyond the KV heads is named") {
  CHECK(warns(
      R"({"model":"llama-2-70b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":16}})",
      "/parallelism/tensor_parallel_size", "spans nodes of 8"));
  CHECK(warns(
      R"({"model":"llama-2-70b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":16}})",
      "/parallelism/tensor_parallel_size", "above 8 key-value heads"));
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"tensor_parallel_size":8,"sequence_parallel":false}})",
      "/parallelism/sequence_parallel", "is off"));
  CHECK(warns(R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"sequence_parallel":true}})",
              "/parallelism/sequence_parallel", "no effect"));
}

TEST_CASE("Uneven and underfilled pipelines are named") {
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"pipeline_parallel_size":8,"virtual_pipeline_size":3}})",
      "/parallelism/pipeline_parallel_size", "some hold 1, some 2"));
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"pipeline_parallel_size":8},"training":{"global_batch_size":2}})",
      "/training/global_batch_size", "2 for 8 stages"));
}

TEST_CASE("Recompute that saves nothing is named") {
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"training":{"engine":"megatron","recompute":"selective"}})",
      "/training/recompute", "saves nothing with flash attention"));
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"training":{"recompute":{"modules":["moe_activation"]}}})",
      "/training/recompute", "no experts"));
  CHECK(warns(
      R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"training":{"recompute":{"modules":["mla_up_projection"]}}})",
      "/training/recompute", "no latent attention"));
}

TEST_CASE("Settings without effect are named") {
  const auto job = [](const std::string& engine, const std::string& parallelism) {
    return R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"training":{"engine":")" + engine +
           R"("},"parallelism":{)" + parallelism + "}}";
  };
  const char* const path = "/parallelism/reshard_after_forward";
  CHECK(warns(job("deepspeed", R"("zero_stage":3,"reshard_after_forward":false)").c_str(), path, "a setting of FSDP"));
  CHECK_FALSE(warns(job("deepspeed", R"("zero_stage":3)").c_str(), path, ""));
  CHECK(warns(job("fsdp2", R"("zero_stage":2,"reshard_after_forward":true)").c_str(), path, "at zero_stage 2"));
  CHECK_FALSE(warns(job("fsdp2", R"("zero_stage":2)").c_str(), path, ""));
  CHECK_FALSE(warns(job("fsdp2", R"("zero_stage":3,"reshard_after_forward":false)").c_str(), path, ""));
  CHECK(warns(
      R"({"model":"gpt2-124m","cluster":{"system":"dgx-h100","gpus":1},"training":{"precision":"fp32","attention":"flash"}})",
      "/training/attention", "takes fp16 and bf16"));
}

TEST_CASE("Assumptions are named") {
  CHECK(warns(R"({"model":"llama-2-7b","cluster":{"gpu":"h100-sxm-80gb","gpus":64}})",
              "/cluster/inter_node_bytes_per_second", "25 GB/s"));
  CHECK(warns(R"({"model":"llama-2-7b","cluster":{"gpu":"v100-sxm2-32gb","gpus":1}})", "/training/attention", "Volta"));
  CHECK(warns(R"({"model":"mixtral-8x7b","cluster":{"system":"dgx-h100"},"parallelism":{"expert_parallel_size":8}})",
              "/training/moe_load_factor", "balanced"));
  CHECK(warns(R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"training":{"sequence_length":200000}})",
              "/training/sequence_length", "beyond the model's 4,096 positions"));
}
