// What an omitted field becomes.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::estimate;
using meshgauge::testing::json;

json resolved(const json& scenario) { return estimate(scenario).at("scenario"); }

json on(const std::string& model, const json& cluster, json parallelism = json::object(),
        json training = json::object()) {
  return resolved({{"model", model},
                   {"cluster", cluster},
                   {"parallelism", std::move(parallelism)},
                   {"training", std::move(training)}});
}

const json dgx = {{"system", "dgx-h100"}};

}  // namespace

TEST_CASE("GPUs default to one node, to the product of the degrees, or to one for the single engine") {
  CHECK(on("gpt2-124m", dgx).at("cluster").at("gpus") == 8);
  CHECK(on("gpt2-124m", {{"system", "dgx-2"}}).at("cluster").at("gpus") == 16);
  CHECK(on("gpt2-124m", {{"gpu", "t4"}}).at("cluster").at("gpus") == 8);
  CHECK(on("llama-2-7b", dgx, {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}}).at("cluster").at("gpus") ==
        32);
  CHECK(on("llama-2-7b", dgx, {{"tensor_parallel_size", 4}, {"data_parallel_size", 16}}).at("cluster").at("gpus") ==
        64);
  CHECK(on("gpt2-124m", dgx, json::object(), {{"engine", "single"}}).at("cluster").at("gpus") == 1);
}

TEST_CASE("The data-parallel size is what the other degrees leave") {
  const json parallelism =
      on("llama-2-7b", {{"system", "dgx-h100"}, {"gpus", 64}},
         {{"tensor_parallel_size", 4}, {"pipeline_parallel_size", 2}, {"context_parallel_size", 2}})
          .at("parallelism");
  CHECK(parallelism.at("data_parallel_size") == 4);
}

TEST_CASE("The engine follows from what is asked of it") {
  const auto engine = [](const json& cluster, const json& parallelism) {
    return on("llama-2-7b", cluster, parallelism).at("training").at("engine").get<std::string>();
  };
  CHECK(engine({{"system", "dgx-h100"}, {"gpus", 1}}, json::object()) == "single");
  CHECK(engine(dgx, json::object()) == "ddp");
  CHECK(engine(dgx, {{"zero_stage", 2}}) == "deepspeed");
  CHECK(engine(dgx, {{"zero_stage", 0}}) == "deepspeed");  // its baseline, where a stage is named
  CHECK(engine(dgx, {{"tensor_parallel_size", 2}, {"zero_stage", 1}}) == "megatron");
  CHECK(engine(dgx, {{"context_parallel_size", 2}}) == "megatron");
}

TEST_CASE("ZeRO stage, kernels and gradient format are the engine's") {
  const auto with = [](const char* engine, const char* precision = "bf16") {
    return on("llama-2-7b", dgx, json::object(), {{"engine", engine}, {"precision", precision}});
  };
  CHECK(with("megatron").at("parallelism").at("zero_stage") == 1);
  CHECK(with("deepspeed").at("parallelism").at("zero_stage") == 2);
  CHECK(with("fsdp2").at("parallelism").at("zero_stage") == 3);
  CHECK(with("ddp").at("parallelism").at("zero_stage") == 0);
  CHECK(with("megatron").at("training").at("kernels") == "fused");
  CHECK(with("hf").at("training").at("kernels") == "eager");
  CHECK(with("megatron").at("training").at("gradient_dtype") == "fp32");
  CHECK(with("megatron", "fp16").at("training").at("gradient_dtype") == "fp16");
  CHECK(with("deepspeed").at("training").at("gradient_dtype") == "bf16");
  CHECK(with("deepspeed", "fp16").at("training").at("gradient_dtype") == "fp16");
  CHECK(with("ddp", "fp16").at("training").at("gradient_dtype") == "fp32");
  CHECK(with("ddp", "pure_bf16").at("training").at("gradient_dtype") == "bf16");
}

TEST_CASE("Precision and attention follow the GPU") {
  const auto training = [](const char* gpu) { return on("llama-2-7b", {{"gpu", gpu}, {"gpus", 1}}).at("training"); };
  CHECK(training("h100-sxm-80gb").at("precision") == "bf16");
  CHECK(training("v100-sxm2-32gb").at("precision") == "fp16");
  CHECK(training("h100-sxm-80gb").at("attention") == "sdpa");
  const auto fused = [](const char* gpu) {
    return on("llama-2-7b", {{"gpu", gpu}, {"gpus", 8}}, {{"tensor_parallel_size", 2}}).at("training");
  };
  CHECK(fused("a100-sxm-80gb").at("attention") == "flash");
  CHECK(fused("h100-sxm-80gb").at("attention") == "cudnn");
  for (const char* old : {"v100-sxm2-32gb", "p100-sxm2-16gb", "t4"}) CHECK(training(old).at("attention") == "unfused");
}

TEST_CASE("The sequence is the model's, up to 4,096") {
  const auto sequence = [](const char* model) { return on(model, dgx).at("training").at("sequence_length"); };
  CHECK(sequence("gpt2-124m") == 1024);
  CHECK(sequence("bert-base") == 512);
  CHECK(sequence("llama-3.1-8b") == 4096);
  CHECK(sequence("vit-l-16") == 197);
}

TEST_CASE("The batch fills the pipeline four times") {
  const json training = on("llama-2-7b", {{"system", "dgx-h100"}, {"gpus", 64}}, {{"pipeline_parallel_size", 4}},
                           {{"micro_batch_size", 2}})
                            .at("training");
  CHECK(training.at("global_batch_size") == 2 * 16 * 4 * 4);
  CHECK(on("gpt2-124m", dgx).at("training").at("global_batch_size") == 8);
}

TEST_CASE("Schedules and sequence parallelism follow the layout") {
  const auto parallelism = [](const json& p, const json& training = json::object()) {
    return on("llama-2-7b", dgx, p, training).at("parallelism");
  };
  CHECK(parallelism({{"pipeline_parallel_size", 2}}).at("pipeline_schedule") == "1f1b");
  CHECK(parallelism({{"pipeline_parallel_size", 2}, {"virtual_pipeline_size", 2}}).at("pipeline_schedule") ==
        "interleaved");
  CHECK(parallelism({{"pipeline_parallel_size", 2}, {"pipeline_schedule", "zb-v"}}).at("virtual_pipeline_size") == 2);
  CHECK(parallelism({{"tensor_parallel_size", 2}}).at("sequence_parallel") == true);
  CHECK(parallelism({{"tensor_parallel_size", 2}}, {{"sequence_length", 4095}}).at("sequence_parallel") == false);
  CHECK(parallelism(json::object()).at("sequence_parallel") == false);
}

TEST_CASE("Expert tensor parallelism follows tensor parallelism under megatron") {
  CHECK(on("mixtral-8x7b", dgx, {{"tensor_parallel_size", 2}}).at("parallelism").at("expert_tensor_parallel_size") ==
        2);
  CHECK(on("llama-2-7b", dgx, {{"tensor_parallel_size", 2}}).at("parallelism").at("expert_tensor_parallel_size") == 1);
}

TEST_CASE("Dropout is on for the families that engines train with it") {
  const auto dropout = [](const char* model, const char* engine) {
    return on(model, dgx, json::object(), {{"engine", engine}}).at("training").at("dropout");
  };
  CHECK(dropout("gpt3-175b", "megatron") == true);
  CHECK(dropout("gpt2-124m", "hf") == true);
  CHECK(dropout("bert-base", "hf") == true);
  CHECK(dropout("gpt2-124m", "ddp") == false);
  CHECK(dropout("llama-2-7b", "megatron") == false);
  CHECK(dropout("vit-l-16", "hf") == false);
}
