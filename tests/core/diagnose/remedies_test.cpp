// Tensors and remedies over many scenarios: formulas give the bytes, changes give what they promise.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/diagnose/candidates.hpp"
#include "core/io/read_scenario.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/formula.hpp"

using namespace meshgauge;
using meshgauge::testing::ask;
using meshgauge::testing::json;

namespace {

std::vector<json> scenarios() {
  const auto make = [](const char* model, const char* system, int gpus, const char* parallelism, const char* training) {
    return json{{"model", model},
                {"cluster", {{"system", system}, {"gpus", gpus}}},
                {"parallelism", json::parse(parallelism)},
                {"training", json::parse(training)}};
  };
  return {
      make("llama-3-8b", "dgx-h100", 8, "{}", R"({"engine":"fsdp2","sequence_length":8192})"),
      make("llama-3-70b", "dgx-h100", 64,
           R"({"tensor_parallel_size":4,"pipeline_parallel_size":2,"context_parallel_size":2})",
           R"({"engine":"megatron","micro_batch_size":2,"global_batch_size":64})"),
      make("mixtral-8x7b", "dgx-h100", 32, R"({"expert_parallel_size":8})",
           R"({"engine":"megatron","global_batch_size":128})"),
      make("deepseek-v3", "dgx-h100", 256, R"({"expert_parallel_size":32,"pipeline_parallel_size":8})",
           R"({"engine":"megatron","global_batch_size":512})"),
      make("gpt2-large", "dgx-a100-80gb", 8, "{}",
           R"({"engine":"ddp","attention":"unfused","micro_batch_size":8,"global_batch_size":64})"),
      make("llama-2-7b", "dgx-a100-80gb", 8, R"({"zero_stage":3})", R"({"engine":"deepspeed","peft":"lora"})"),
      make("vit-h-14", "dgx-a100-80gb", 8, "{}", R"({"engine":"ddp","precision":"fp32"})"),
      make("t5-11b", "dgx-a100-80gb", 8, R"({"zero_stage":1})", R"({"engine":"deepspeed"})"),
  };
}

const char* text = "CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.15 GiB total capacity;";

}  // namespace

TEST_CASE("The formula of every tensor gives its bytes") {
  for (const json& scenario : scenarios()) {
    const Result<Resolution> resolution = read_scenario(nlohmann::ordered_json(scenario));
    INFO(scenario.dump());
    REQUIRE(resolution.ok());
    const std::vector<Tensor> tensors = tensors_of(resolution.value->scenario);
    CHECK(tensors.size() > 10);
    for (const Tensor& tensor : tensors) {
      std::map<std::string, double> values;
      for (const Value& value : tensor.values) values[value.symbol] = value.value;
      INFO(tensor.id << ": " << tensor.formula);
      CHECK(meshgauge::testing::evaluate_formula(tensor.formula, values) == Approx(tensor.bytes));
      CHECK(tensor.bytes > 0);
    }
  }
}

TEST_CASE("A tensor is among the candidates of the request that its allocation would print") {
  const Result<Resolution> resolution = read_scenario(nlohmann::ordered_json(scenarios()[0]));
  REQUIRE(resolution.ok());
  const std::vector<Tensor> tensors = tensors_of(resolution.value->scenario);
  for (const Tensor& tensor : tensors) {
    OutOfMemory request;
    request.requested = {segment_size(tensor.bytes), 0};
    if (is_small_segment(request)) continue;
    bool found = false;
    for (const TensorMatch& match : matching(request, tensors)) found = found || match.tensor.id == tensor.id;
    INFO(tensor.id);
    CHECK(found);
  }
}

TEST_CASE("A remedy is legal, saves what it says and is sorted by it") {
  for (const json& scenario : scenarios()) {
    INFO(scenario.dump());
    const json answer = ask({{"command", "diagnose"}, {"text", text}, {"scenario", scenario}});
    REQUIRE(answer.at("ok") == true);
    const json before = meshgauge::testing::estimate(scenario);
    const double device = answer.at("estimate").at("device_bytes").get<double>();
    CHECK(device == before.at("memory").at("device_bytes").get<double>());
    CHECK(answer.at("estimate").at("binding") == before.at("memory").at("binding"));
    CHECK_FALSE(answer.at("remedies").empty());
    double last = device;
    for (const json& remedy : answer.at("remedies")) {
      json changed = before.at("scenario");
      for (const auto& [path, value] : remedy.at("set").items()) changed[json::json_pointer(path)] = value;
      INFO(remedy.dump());
      const json after = meshgauge::testing::estimate(changed);
      CHECK(after.at("memory").at("device_bytes") == remedy.at("device_bytes"));
      CHECK(after.at("fits") == remedy.at("fits"));
      CHECK(after.at("step").at("seconds") == remedy.at("step_seconds"));
      const double saved = remedy.at("saved_bytes").get<double>();
      CHECK(saved > 0);
      CHECK(saved == device - remedy.at("device_bytes").get<double>());
      CHECK(saved <= last);
      last = saved;
    }
  }
}

TEST_CASE("Recompute, a smaller micro-batch and flash attention are offered where they help") {
  const json answer =
      ask({{"command", "diagnose"},
           {"text", text},
           {"scenario",
            {{"model", "gpt2-large"},
             {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", 8}}},
             {"training",
              {{"engine", "ddp"}, {"attention", "unfused"}, {"micro_batch_size", 8}, {"global_batch_size", 64}}}}}});
  std::vector<std::string> ids;
  for (const json& remedy : answer.at("remedies")) ids.push_back(remedy.at("id"));
  for (const char* id : {"half_micro_batch", "full_recompute", "flash_attention", "lora", "adamw_8bit"}) {
    INFO(id);
    CHECK(std::count(ids.begin(), ids.end(), id) == 1);
  }
  CHECK(std::count(ids.begin(), ids.end(), "double_tensor_parallel") == 0);  // DDP has none
}

TEST_CASE("A request for a diagnosis says what is wrong with it") {
  const auto issues = [](const json& request) { return ask(request).at("issues"); };
  CHECK(issues({{"command", "diagnose"}}).at(0).at("path") == "/text");
  CHECK(issues({{"command", "diagnose"}, {"text", 3}}).at(0).at("path") == "/text");
  const json none = issues({{"command", "diagnose"}, {"text", "all is well"}});
  REQUIRE(none.size() == 1);
  CHECK(none.at(0).at("message").get<std::string>().find("Tried to allocate") != std::string::npos);
  CHECK(issues({{"command", "diagnose"}, {"text", text}, {"scenario", 3}}).at(0).at("path") == "/scenario");
  CHECK(issues({{"command", "diagnose"}, {"text", text}, {"scenario", {{"model", "no-such"}}}}).at(0).at("path") ==
        "/model");
  CHECK(issues({{"command", "diagnose"}, {"text", text}, {"scenery", 3}}).size() == 1);
  CHECK(issues({{"command", "diagnose"}, {"text", text}, {"scenario", "handbook:none"}}).size() == 1);
}
