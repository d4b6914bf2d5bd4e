// Memory of adapters on a frozen base, packed and padded batches, and the allocator, against published runs.
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

using meshgauge::testing::estimate;
using meshgauge::testing::line_bytes;
using json = nlohmann::ordered_json;

namespace {

/// A row of foundation-model-stack/fms-acceleration scripts/benchmarks/refs: Hugging Face Trainer, FSDP, A100-80GB.
json trainer(const char* model, int micro_batch, const char* peft) {
  return {{"model", model},
          {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", 2}}},
          {"parallelism", {{"zero_stage", 3}}},
          {"training",
           {{"engine", "hf"},
            {"engine_version", "4.48.1"},
            {"precision", std::string_view(peft) == "gptq_lora" ? "fp16" : "bf16"},
            {"sequence_length", 4096},
            {"micro_batch_size", micro_batch},
            {"global_batch_size", 2 * micro_batch},
            {"recompute", "full"},
            {"attention", "flash"},
            {"peft", peft},
            {"lora_rank", 16},
            {"lora_dropout", 0.1}}}};
}

double allocated(const json& scenario) { return estimate(scenario).at("memory").at("allocated_bytes").get<double>(); }

json packed(std::int64_t sequence, int micro_batch, std::int64_t document) {
  return {{"model", "llama-3.1-8b"},
          {"cluster", {{"system", "dgx-h100"}, {"gpus", 8}}},
          {"parallelism", {{"zero_stage", 3}}},
          {"training",
           {{"engine", "fsdp2"},
            {"sequence_length", sequence},
            {"micro_batch_size", micro_batch},
            {"document_length", document}}}};
}

}  // namespace

TEST_CASE("FSDP's hooks keep inputs and gradients of all checkpointed layers where units are frozen") {
  // a100_80gb.csv rows 79, 95 and 103: peak_allocated_bytes of rank 0.
  CHECK(allocated(trainer("mistral-7b", 2, "qlora")) == Approx(9424594432.0).epsilon(0.01));
  CHECK(allocated(trainer("llama-2-70b", 2, "qlora")) == Approx(46685287936.0).epsilon(0.01));
  CHECK(allocated(trainer("mistral-7b", 2, "gptq_lora")) == Approx(9442125824.0).epsilon(0.002));
  const json stage = estimate(trainer("llama-2-70b", 2, "qlora")).at("memory").at("stages").at(0);
  const double stream = 2.0 * 2 * 4096 * 8192;  // bytes of a hidden state: 2 x b x s x h
  CHECK(line_bytes(stage, {"checkpoints"}) == 80 * stream);
  CHECK(line_bytes(stage, {"checkpoint_gradients"}) == 78 * stream);
}

TEST_CASE("Fused adapters and norms keep less") {
  // a100_80gb_liger.csv rows 46 and 54: LoRA and QLoRA of Llama 3 8B with fused cross entropy of the head.
  json lora = trainer("llama-3-8b", 4, "lora");
  lora["training"].update({{"engine_version", "4.45.2"}, {"loss", "chunked"}, {"fused_norm", true}});
  CHECK(allocated(lora) == Approx(23383704064.0).epsilon(0.005));
  json qlora = trainer("llama-3-8b", 4, "qlora");
  qlora["training"].update(
      {{"engine_version", "4.45.2"}, {"loss", "chunked"}, {"fused_norm", true}, {"lora_kernels", "fused"}});
  CHECK(allocated(qlora) == Approx(17.85e9).epsilon(0.005));
}

TEST_CASE("Packed documents cost what they cost alone") {
  const json one = estimate(packed(8192, 1, 2048)), four = estimate(packed(2048, 4, 0));
  CHECK(one.at("flops") == four.at("flops"));
  CHECK(estimate(packed(8192, 1, 0)).at("flops").at("model_flops_per_step").get<double>() >
        one.at("flops").at("model_flops_per_step").get<double>());
  // position_ids in int64; int32 bounds of queries and of keys: four documents have five.
  CHECK(line_bytes(one.at("memory").at("stages").at(0), {"document_bounds"}) == 8 * 8192 + 2 * 4 * 5);
  CHECK(estimate(packed(8192, 1, 9000)).at("flops") == estimate(packed(8192, 1, 0)).at("flops"));
}

TEST_CASE("Padding takes memory and time, and is no token of the run") {
  json padded = packed(8192, 1, 0);
  const json full = estimate(padded);
  padded["training"]["batch_fill"] = 0.5;
  const json half = estimate(padded);
  CHECK(half.at("memory") == full.at("memory"));
  CHECK(half.at("step").at("seconds") == full.at("step").at("seconds"));
  CHECK(2 * half.at("step").at("tokens_per_second_per_gpu").get<double>() ==
        Approx(full.at("step").at("tokens_per_second_per_gpu").get<double>()));
}

TEST_CASE("Reserved memory hangs on streams and on expandable segments") {
  // torchtitan PR #165, Llama 2 7B on 8 H100, FSDP2 with full recompute, eager: 22.73 GiB active, 31.02 GiB reserved.
  json scenario{{"model", "llama-2-7b"},
                {"cluster", {{"system", "dgx-h100"}, {"gpus", 8}}},
                {"parallelism", {{"zero_stage", 3}}},
                {"training",
                 {{"engine", "torchtitan"},
                  {"kernels", "eager"},
                  {"sequence_length", 2048},
                  {"micro_batch_size", 8},
                  {"recompute", "full"},
                  {"expandable_segments", false}}}};
  const json memory = estimate(scenario).at("memory");
  CHECK(memory.at("allocated_bytes").get<double>() == Approx(22.73 * 1073741824).epsilon(0.08));
  CHECK(memory.at("reserved_bytes").get<double>() == Approx(31.02 * 1073741824).epsilon(0.1));
  scenario["training"].erase("expandable_segments");  // the launcher's default since
  const json grown = estimate(scenario).at("memory");
  CHECK(grown.at("allocated_bytes") == memory.at("allocated_bytes"));
  CHECK(grown.at("reserved_bytes").get<double>() < 1.03 * grown.at("allocated_bytes").get<double>());
}
