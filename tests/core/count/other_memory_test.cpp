// Memory outside the steady step and outside the GPU: first step, evaluation, saving, offload to the host.
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

using meshgauge::testing::estimate;
using json = nlohmann::ordered_json;

namespace {

json scenario(json parallelism, json training, const char* model = "llama-3.1-8b", int gpus = 8) {
  return {{"model", model},
          {"cluster", {{"system", "dgx-h100"}, {"gpus", gpus}}},
          {"parallelism", std::move(parallelism)},
          {"training", std::move(training)}};
}

double bytes(const json& s, const char* phase) {
  return estimate(s).at("memory").at("other_phases").at(phase).get<double>();
}

}  // namespace

TEST_CASE("The first step has no moments until its end") {
  // torchtitan issue 1884: 33.2 GiB in the first step and 44.8 GiB from the second on.
  const json s = scenario({{"zero_stage", 3}}, {{"engine", "fsdp2"}, {"sequence_length", 8192}});
  const json memory = estimate(s).at("memory");
  CHECK(bytes(s, "first_step") < bytes(s, "resume"));
  CHECK(bytes(s, "resume") <= memory.at("device_bytes").get<double>());
}

TEST_CASE("Evaluation keeps no graph and saving gathers a unit") {
  const json s = scenario({{"zero_stage", 3}}, {{"engine", "fsdp1"}, {"sequence_length", 8192}});
  CHECK(bytes(s, "evaluation") < bytes(s, "resume"));
  const json sharded = scenario({{"zero_stage", 3}}, {{"engine", "fsdp1"}}),
             whole = scenario(json::object(), {{"engine", "ddp"}});
  // Llama 3.1 8B: embedding and head are the largest unit, 2 x 128,256 x 4,096 and a norm, gathered in fp32.
  const double states = 12.0 * 8030261248 / 8;
  CHECK(bytes(sharded, "save") > states + 4.0 * 2 * 128256 * 4096);
  CHECK(bytes(sharded, "save") < bytes(whole, "save"));
}

TEST_CASE("Offload moves states from the GPU to the host") {
  // DeepSpeed's own arithmetic (runtime/zero/stage3.py): 12 bytes of a parameter's optimizer states over the ranks.
  const json on_gpu = scenario({{"zero_stage", 3}}, {{"engine", "deepspeed"}});
  json on_host = on_gpu;
  on_host["training"]["optimizer_offload"] = "cpu";
  const json a = estimate(on_gpu).at("memory"), b = estimate(on_host).at("memory");
  const double parameters = 8030261248;
  const double moved = a.at("stages").at(0).at("phases").at("forward").get<double>() -
                       b.at("stages").at(0).at("phases").at("forward").get<double>();
  CHECK(moved > 12 * parameters / 8);
  CHECK(a.at("host_bytes_per_node") == 0);
  // 2 gradient + 4 master + 8 moments + 4 fp32 gradient on the host: 18 bytes for each parameter of the node.
  CHECK(b.at("host_bytes_per_node").get<double>() == Approx(18 * parameters).epsilon(1e-6));
  on_host["training"]["parameter_offload"] = "cpu";
  CHECK(estimate(on_host).at("memory").at("host_bytes_per_node").get<double>() ==
        Approx(20 * parameters).epsilon(1e-6));
}

TEST_CASE("Preferences double the sequences, and a full policy has a reference beside it") {
  const auto memory = [](const char* objective, json more = json::object()) {
    json training{{"engine", "ddp"}, {"precision", "pure_bf16"}, {"objective", objective}};
    training.update(more);
    return estimate(scenario(json::object(), std::move(training), "llama-3.2-1b")).at("memory").at("stages").at(0);
  };
  using meshgauge::testing::line_bytes;
  const json plain = memory("next_token"), dpo = memory("dpo"), reward = memory("reward");
  CHECK(line_bytes(dpo, {"mlp"}) == 2 * line_bytes(plain, {"mlp"}));
  CHECK(line_bytes(dpo, {"logits"}) == 2 * line_bytes(plain, {"logits"}));
  // Llama 3.2 1B has 1,235,814,400 parameters (its model card: 1.23B).
  CHECK(line_bytes(dpo, {"reference_parameters"}) == 2 * 1235814400.0);
  CHECK(line_bytes(reward, {"reference_parameters", "logits"}) == 0);
  CHECK(line_bytes(memory("dpo", {{"peft", "lora"}}), {"reference_parameters"}) == 0);
}

TEST_CASE("Adapters have their states, the frozen base has its weights alone") {
  // Hu et al. 2021, arXiv:2106.09685; litgpt tutorials/resource-tables.md prints 4,194,304 trainable parameters for
  // Llama 2 7B with rank 8 on query and value.
  const auto stage = [](const char* peft) {
    return estimate(scenario(json::object(),
                             {{"engine", "single"},
                              {"precision", "pure_bf16"},
                              {"peft", peft},
                              {"lora_rank", 8},
                              {"lora_targets", "query_value"},
                              {"double_quantisation", true}},
                             "llama-2-7b", 1))
        .at("memory")
        .at("stages")
        .at(0);
  };
  using meshgauge::testing::line_bytes;
  const json lora = stage("lora"), qlora = stage("qlora");
  CHECK(line_bytes(lora, {"adapter_parameters"}) == 2 * 4194304.0);
  CHECK(line_bytes(lora, {"optimizer_moments"}) == 4 * 4194304.0);
  CHECK(line_bytes(lora, {"frozen_parameters"}) == 2 * 6738415616.0);
  // Dettmers et al. 2023, arXiv:2305.14314 section 3: double quantisation costs 0.127 bits a parameter.
  const double linear = 6738415616.0 - 2 * 32000.0 * 4096 - 65 * 4096;
  CHECK(line_bytes(qlora, {"quantisation_scales"}) * 8 / linear == Approx(0.127).epsilon(0.001));
}
