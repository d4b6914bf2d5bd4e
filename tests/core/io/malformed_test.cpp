// Scenarios with one thing wrong: each is refused, at the right place, in words that name what is allowed.
#include <algorithm>
#include <string>
#include <vector>

#include "core/io/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::json;

const json base = json::parse(R"({
  "schema_version": 1, "model": "llama-2-7b", "cluster": {"system": "dgx-h100", "gpus": 64},
  "parallelism": {"tensor_parallel_size": 8, "pipeline_parallel_size": 4, "data_parallel_size": 2},
  "training": {"engine": "megatron", "sequence_length": 4096, "global_batch_size": 128}})");

/// `patch` is a JSON merge patch (RFC 7396): null removes a field.
struct Malformed {
  const char* patch;
  const char* path;  ///< of an issue
  const char* says;  ///< part of its message
};

const Malformed types[] = {
    {R"({"schema_version": 2})", "/schema_version", "Allowed: 1."},
    {R"({"schema_version": 0})", "/schema_version", "schema_version is 0"},
    {R"({"schema_version": "1"})", "/schema_version", "without quotes"},
    {R"({"schema_version": 1.5})", "/schema_version", "whole number"},
    {R"({"schema_version": true})", "/schema_version", "a boolean"},
    {R"({"model": null})", "/model", "missing"},
    {R"({"model": 7})", "/model", "catalog id"},
    {R"({"model": ["llama-2-7b"]})", "/model", "a list of 1"},
    {R"({"model": true})", "/model", "is true"},
    {R"({"model": ""})", "/model", ""},
    {R"({"model": "lama-2-7b"})", "/model", "llama-2-7b"},
    {R"({"model": "no such thing at all"})", "/model", "no such thing"},
    {R"({"cluster": null})", "/cluster", "Set system or gpu"},
    {R"({"cluster": []})", "/cluster", "Expected: an object"},
    {R"({"cluster": "dgx-h100"})", "/cluster", "Expected: an object"},
    {R"({"cluster": 8})", "/cluster", "Expected: an object"},
    {R"({"cluster": {"system": null}})", "/cluster", "names no hardware"},
    {R"({"cluster": {"system": 3}})", "/cluster/system", "Expected: a string"},
    {R"({"cluster": {"system": "dgx-h10"}})", "/cluster/system", "dgx-h100"},
    {R"({"cluster": {"system": null, "gpu": "h100-sxm-80g"}})", "/cluster/gpu", "h100-sxm-80gb"},
    {R"({"cluster": {"system": null, "gpu": false}})", "/cluster/gpu", "Expected: a string"},
    {R"({"cluster": {"gpu": "h100-sxm-80gb"}})", "/cluster/gpu", "Keep one"},
    {R"({"cluster": {"gpus": "64"}})", "/cluster/gpus", "Write 64 without quotes"},
    {R"({"cluster": {"gpus": 8.5}})", "/cluster/gpus", "is 8.5"},
    {R"({"cluster": {"gpus": 0}})", "/cluster/gpus", "1 to 1,000,000"},
    {R"({"cluster": {"gpus": -1}})", "/cluster/gpus", "is -1"},
    {R"({"cluster": {"gpus": 1000001}})", "/cluster/gpus", "is 1,000,001"},
    {R"({"cluster": {"gpus": 1e300}})", "/cluster/gpus", "is 1e+300"},
    {R"({"cluster": {"gpus": -1e300}})", "/cluster/gpus", "is -1e+300"},
    {R"({"cluster": {"gpus": 9007199254740993}})", "/cluster/gpus", "Allowed"},
    {R"({"cluster": {"gpus": 18446744073709551615}})", "/cluster/gpus", "Allowed"},
    {R"({"cluster": {"gpus": true}})", "/cluster/gpus", "is true, a boolean"},
    {R"({"cluster": {"gpus": {}}})", "/cluster/gpus", "an object"},
    {R"({"cluster": {"gpus": []}})", "/cluster/gpus", "a list of 0"},
    {R"({"cluster": {"gpus_per_node": 0}})", "/cluster/gpus_per_node", "1 to 1,000,000"},
    {R"({"cluster": {"gpus_per_node": "x"}})", "/cluster/gpus_per_node", "whole number"},
    {R"({"cluster": {"memory_bytes": 0}})", "/cluster/memory_bytes", "1,000,000 to"},
    {R"({"cluster": {"memory_bytes": -8e10}})", "/cluster/memory_bytes", "Allowed"},
    {R"({"cluster": {"memory_bytes": "80 GB"}})", "/cluster/memory_bytes", "Expected: a number"},
    {R"({"cluster": {"memory_bytes": 1e300}})", "/cluster/memory_bytes", "is 1e+300"},
    {R"({"cluster": {"intra_node_bytes_per_second": 0}})", "/cluster/intra_node_bytes_per_second", "Allowed"},
    {R"({"cluster": {"inter_node_bytes_per_second": -5}})", "/cluster/inter_node_bytes_per_second", "is -5"},
    {R"({"cluster": {"intra_node_latency_seconds": -1e-6}})", "/cluster/intra_node_latency_seconds", "1e-9 to 1"},
    {R"({"cluster": {"inter_node_latency_seconds": 2}})", "/cluster/inter_node_latency_seconds", "1e-9 to 1"},
    {R"({"cluster": {"usd_per_gpu_hour": -2}})", "/cluster/usd_per_gpu_hour", "is -2"},
    {R"({"cluster": {"usd_per_gpu_hour": "$2"}})", "/cluster/usd_per_gpu_hour", "Expected: a number"},
    {R"({"parallelism": []})", "/parallelism", "Expected: an object"},
    {R"({"parallelism": 8})", "/parallelism", "Expected: an object"},
    {R"({"parallelism": {"tensor_parallel_size": "8"}})", "/parallelism/tensor_parallel_size", "without quotes"},
    {R"({"parallelism": {"tensor_parallel_size": 0}})", "/parallelism/tensor_parallel_size", "1 to 1,000,000"},
    {R"({"parallelism": {"tensor_parallel_size": 2.5}})", "/parallelism/tensor_parallel_size", "is 2.5"},
    {R"({"parallelism": {"tensor_parallel_size": [8]}})", "/parallelism/tensor_parallel_size", "a list of 1"},
    {R"({"parallelism": {"sequence_parallel": 1}})", "/parallelism/sequence_parallel", "true or false"},
    {R"({"parallelism": {"sequence_parallel": "true"}})", "/parallelism/sequence_parallel", "true or false"},
    {R"({"parallelism": {"pipeline_parallel_size": -4}})", "/parallelism/pipeline_parallel_size", "is -4"},
    {R"({"parallelism": {"pipeline_parallel_size": 1025}})", "/parallelism/pipeline_parallel_size", "1 to 1,024"},
    {R"({"parallelism": {"virtual_pipeline_size": 0}})", "/parallelism/virtual_pipeline_size", "1 to 128"},
    {R"({"parallelism": {"pipeline_schedule": "1F1B"}})", "/parallelism/pipeline_schedule", "Did you mean \"1f1b\"?"},
    {R"({"parallelism": {"pipeline_schedule": 1}})", "/parallelism/pipeline_schedule", "one of naive"},
    {R"({"parallelism": {"stage_layers": 8}})", "/parallelism/stage_layers", "a list of whole numbers"},
    {R"({"parallelism": {"stage_layers": [8, 8, "8", 8]}})", "/parallelism/stage_layers/2", "without quotes"},
    {R"({"parallelism": {"stage_layers": [8, 8, -8, 24]}})", "/parallelism/stage_layers/2", "is -8"},
    {R"({"parallelism": {"context_parallel_size": 1.5}})", "/parallelism/context_parallel_size", "is 1.5"},
    {R"({"parallelism": {"context_parallel_kind": "rings"}})", "/parallelism/context_parallel_kind", "\"ring\""},
    {R"({"parallelism": {"expert_parallel_size": 0}})", "/parallelism/expert_parallel_size", "is 0"},
    {R"({"parallelism": {"expert_tensor_parallel_size": "1"}})", "/parallelism/expert_tensor_parallel_size", "quotes"},
    {R"({"parallelism": {"data_parallel_size": 1e18}})", "/parallelism/data_parallel_size", "Allowed"},
    {R"({"parallelism": {"zero_stage": 4}})", "/parallelism/zero_stage", "0 to 3"},
    {R"({"parallelism": {"zero_stage": -1}})", "/parallelism/zero_stage", "0 to 3"},
    {R"({"parallelism": {"zero_stage": "three"}})", "/parallelism/zero_stage", "\"three\""},
    {R"({"parallelism": {"reshard_after_forward": 0}})", "/parallelism/reshard_after_forward", "true or false"},
    {R"({"training": "fast"})", "/training", "Expected: an object"},
    {R"({"training": {"engine": "megatron-lm"}})", "/training/engine", "Did you mean \"megatron\"?"},
    {R"({"training": {"engine": 3}})", "/training/engine", "one of single"},
    {R"({"training": {"precision": "bfloat"}})", "/training/precision", "fp32, tf32, bf16"},
    {R"({"training": {"optimizer": "adam"}})", "/training/optimizer", "Did you mean \"adamw\"?"},
    {R"({"training": {"gradient_dtype": "fp64"}})", "/training/gradient_dtype", "Allowed: fp32"},
    {R"({"training": {"gradient_dtype": "int64"}})", "/training/gradient_dtype", "Allowed: fp32, bf16, fp16."},
    {R"({"training": {"gradient_dtype": "fp8"}})", "/training/gradient_dtype", "Allowed: fp32, bf16, fp16."},
    {R"({"training": {"sequence_length": 0}})", "/training/sequence_length", "1 to 1,000,000,000"},
    {R"({"training": {"sequence_length": "8k"}})", "/training/sequence_length", "\"8k\", a string"},
    {R"({"training": {"sequence_length": 1e10}})", "/training/sequence_length", "1 to 1,000,000,000"},
    {R"({"training": {"micro_batch_size": 0.5}})", "/training/micro_batch_size", "is 0.5"},
    {R"({"training": {"micro_batch_size": -1}})", "/training/micro_batch_size", "is -1"},
    {R"({"training": {"global_batch_size": 0}})", "/training/global_batch_size", "is 0"},
    {R"({"training": {"global_batch_size": {"a": 1}}})", "/training/global_batch_size", "an object"},
    {R"({"training": {"recompute": "partial"}})", "/training/recompute", "none, selective, full"},
    {R"({"training": {"recompute": true}})", "/training/recompute", "none, selective, full. Or an object with method"},
    {R"({"training": {"recompute": {}}})", "/training/recompute", "empty object"},
    {R"({"training": {"recompute": {"method": "blocks"}}})", "/training/recompute/method", "uniform, block"},
    {R"({"training": {"recompute": {"layers": 0}}})", "/training/recompute/layers", "is 0"},
    {R"({"training": {"recompute": {"layers": "all"}}})", "/training/recompute/layers", "whole number"},
    {R"({"training": {"recompute": {"modules": "mlp"}}})", "/training/recompute/modules", "a list of"},
    {R"({"training": {"recompute": {"modules": ["mlps"]}}})", "/training/recompute/modules/0", "\"mlp\""},
    {R"({"training": {"recompute": {"modules": [1]}}})", "/training/recompute/modules/0", "one of"},
    {R"({"training": {"recompute": {"modules": ["mlp"], "layers": 1}}})", "/training/recompute", "Keep one kind"},
    {R"({"training": {"recompute": {"metod": "block"}}})", "/training/recompute/metod", "\"method\""},
    {R"({"training": {"attention": "flash2"}})", "/training/attention", "\"flash\""},
    {R"({"training": {"loss": "none"}})", "/training/loss", "unfused, fused, chunked"},
    {R"({"training": {"kernels": "triton"}})", "/training/kernels", "fused, eager, compiled"},
    {R"({"training": {"dropout": 0.1}})", "/training/dropout", "true or false"},
    {R"({"training": {"moe_load_factor": 0.9}})", "/training/moe_load_factor", "1 to 10,000"},
    {R"({"training": {"moe_load_factor": "1"}})", "/training/moe_load_factor", "without quotes"},
    {R"({"training": {"tokens": -1}})", "/training/tokens", "is -1"},
    {R"({"training": {"tokens": 1e19}})", "/training/tokens", "0 to 1e+18"},
    {R"({"training": {"tokens": "1T"}})", "/training/tokens", "Expected: a number"},
};

const Malformed unknown_fields[] = {
    {R"({"modl": "x"})", "/modl", "Did you mean \"model\"?"},
    {R"({"zzz": 1})", "/zzz", "Allowed: schema_version, model"},
    {R"({"micro_batch_size": 1})", "/micro_batch_size", "belongs to /training/micro_batch_size"},
    {R"({"": 1})", "/", "There is no field"},
    {R"({"a/b~c": 1})", "/a~1b~0c", "There is no field"},
    {R"({"\u0000\u001b[31m": 1})", "/\\u0000\\u001b[31m", "There is no field"},
    {R"({"cluster": {"gpu_count": 8}})", "/cluster/gpu_count", "There is no field"},
    {R"({"cluster": {"zero_stage": 1}})", "/cluster/zero_stage", "belongs to /parallelism/zero_stage"},
    {R"({"parallelism": {"tensor_parallel": 8}})", "/parallelism/tensor_parallel", "\"tensor_parallel_size\""},
    {R"({"parallelism": {"tp": 8}})", "/parallelism/tp", "There is no field"},
    {R"({"training": {"seq_length": 1}})", "/training/seq_length", "\"sequence_length\""},
    {R"({"training": {"Precision": "bf16"}})", "/training/Precision", "\"precision\""},
    {R"({"training": {"gpus": 8}})", "/training/gpus", "belongs to /cluster/gpus"},
};

/// Each field is right alone; together they are not.
const Malformed combinations[] = {
    {R"({"parallelism": {"tensor_parallel_size": 6}})", "/parallelism/tensor_parallel_size",
     "tensor_parallel_size 6 does not divide 32 attention heads"},
    {R"({"parallelism": {"tensor_parallel_size": 3}})", "/parallelism/tensor_parallel_size", "Allowed: 1, 2, 4, 8"},
    {R"({"model": "llama-2-70b", "parallelism": {"tensor_parallel_size": 12}})", "/parallelism/tensor_parallel_size",
     "Set 8."},
    {R"({"parallelism": {"data_parallel_size": 3}})", "/parallelism/data_parallel_size",
     "8 x 4 x 1 x 3 = 96, cluster has 64. Set data_parallel_size 2."},
    {R"({"cluster": {"gpus": 48}, "parallelism": {"data_parallel_size": null}})", "/cluster/gpus", "Set gpus 32 or 64"},
    {R"({"cluster": {"gpus": 8}})", "/cluster/gpus", "= 32, cluster has 8. Set gpus 32"},
    {R"({"parallelism": {"tensor_parallel_size": 1000000, "pipeline_parallel_size": 1000}})", "/cluster/gpus",
     "1,000,000,000, cluster has 64"},
    {R"({"training": {"global_batch_size": 127}})", "/training/global_batch_size", "1 x 2 = 2. Set 128."},
    {R"({"training": {"global_batch_size": 1}})", "/training/global_batch_size", "Set 2."},
    {R"({"training": {"micro_batch_size": 100}})", "/training/global_batch_size", "100 x 2 = 200. Set 200."},
    {R"({"cluster": {"gpus": 512}, "parallelism": {"pipeline_parallel_size": 64, "data_parallel_size": 1}})",
     "/parallelism/pipeline_parallel_size", "has 32. Set pipeline_parallel_size 32"},
    {R"({"parallelism": {"zero_stage": 0, "data_parallel_replicate_size": 2}})",
     "/parallelism/data_parallel_replicate_size", "reduce-scattered"},
    {R"({"parallelism": {"virtual_pipeline_size": 9}})", "/parallelism/virtual_pipeline_size",
     "Set virtual_pipeline_size 8"},
    {R"({"parallelism": {"virtual_pipeline_size": 2}, "training": {"global_batch_size": 6}})",
     "/training/global_batch_size", "multiple of 4. Set global_batch_size 8"},
    {R"({"parallelism": {"pipeline_schedule": "interleaved"}})", "/parallelism/virtual_pipeline_size", "Set 2."},
    {R"({"parallelism": {"pipeline_schedule": "gpipe", "virtual_pipeline_size": 2}})",
     "/parallelism/virtual_pipeline_size", "gpipe has one chunk"},
    {R"({"parallelism": {"pipeline_schedule": "zb-v", "virtual_pipeline_size": 3}})",
     "/parallelism/virtual_pipeline_size", "zb-v has 2 chunks"},
    {R"({"parallelism": {"pipeline_schedule": "dualpipe"}, "training": {"global_batch_size": 8}})",
     "/training/global_batch_size", "at least 2 x PP = 8. Set global_batch_size 16"},
    {R"({"parallelism": {"pipeline_schedule": "dualpipe"}, "training": {"global_batch_size": 18}})",
     "/training/global_batch_size", "needs an even number. Set global_batch_size 20"},
    {R"({"cluster": {"gpus": 24}, "parallelism": {"pipeline_schedule": "dualpipe", "pipeline_parallel_size": 3,
        "data_parallel_size": 1}})",
     "/parallelism/pipeline_parallel_size", "even number of stages. Set 4"},
    {R"({"parallelism": {"pipeline_schedule": "gpipe", "pipeline_parallel_size": 1, "data_parallel_size": 8}})",
     "/parallelism/pipeline_schedule", "above 1 (is 1)"},
    {R"({"parallelism": {"virtual_pipeline_size": 2, "pipeline_parallel_size": 1, "data_parallel_size": 8}})",
     "/parallelism/virtual_pipeline_size", "there is one stage"},
    {R"({"parallelism": {"stage_layers": [16, 16]}})", "/parallelism/stage_layers", "lists 2 chunks"},
    {R"({"parallelism": {"stage_layers": [8, 8, 8, 9]}})", "/parallelism/stage_layers", "add up to 33"},
    {R"({"cluster": {"gpus": 96}, "parallelism": {"context_parallel_size": 3, "data_parallel_size": 1}})",
     "/parallelism/context_parallel_size", "6 equal parts"},
    {R"({"cluster": {"gpus": 256}, "parallelism": {"context_parallel_size": 8, "context_parallel_kind": "ulysses",
        "data_parallel_size": 1}})",
     "/parallelism/context_parallel_size", "(ulysses). Allowed: 1, 2, 4. Set 4."},
    {R"({"parallelism": {"sequence_parallel": true}, "training": {"sequence_length": 4097}})",
     "/parallelism/sequence_parallel", "sequence_length 4,104"},
    {R"({"parallelism": {"expert_parallel_size": 4}})", "/parallelism/expert_parallel_size", "has no experts. Set 1."},
    {R"({"parallelism": {"expert_tensor_parallel_size": 4}})", "/parallelism/expert_tensor_parallel_size",
     "no experts"},
    {R"({"training": {"moe_load_factor": 1.5}})", "/training/moe_load_factor", "has no experts"},
    {R"({"model": "mixtral-8x7b", "parallelism": {"expert_parallel_size": 3}})", "/parallelism/expert_parallel_size",
     "does not divide 8 experts. Allowed: 1, 2, 4, 8."},
    {R"({"model": "mixtral-8x7b", "parallelism": {"expert_parallel_size": 8}})", "/parallelism/expert_parallel_size",
     "TP x CP x DP / ETP = 2"},
    {R"({"model": "mixtral-8x7b", "parallelism": {"expert_tensor_parallel_size": 3}})",
     "/parallelism/expert_tensor_parallel_size", "does not divide the expert width 14,336. Allowed: 1, 2, 4, 8, 16."},
    {R"({"model": "mixtral-8x7b", "parallelism": {"expert_tensor_parallel_size": 7}})",
     "/parallelism/expert_tensor_parallel_size", "does not divide TP x CP x DP = 16. Allowed: 1, 2, 4, 8, 16."},
    {R"({"model": "mixtral-8x7b", "parallelism": {"expert_parallel_size": 2, "expert_tensor_parallel_size": 1},
        "training": {"moe_load_factor": 3}})",
     "/training/moe_load_factor", "the fullest of 2 expert ranks"},
    {R"({"parallelism": {"zero_stage": 3}})", "/parallelism/zero_stage", "Allowed: 0, 1."},
    {R"({"training": {"engine": "fsdp2"}, "parallelism": {"zero_stage": 1}})", "/parallelism/zero_stage",
     "Allowed: 2, 3."},
    {R"({"training": {"engine": "ddp"}})", "/parallelism/tensor_parallel_size", "engine megatron"},
    {R"({"training": {"engine": "deepspeed"}})", "/parallelism/pipeline_parallel_size", "no pipeline parallelism"},
    {R"({"training": {"engine": "single"}})", "/training/engine", "runs on 1 GPU"},
    {R"({"training": {"engine": "dp"}})", "/training/engine", "one process on one node of 8"},
    {R"({"cluster": {"system": "dgx-a100-80gb"}, "training": {"precision": "fp8"}})", "/training/precision",
     "Allowed: fp32, tf32, bf16, fp16"},
    {R"({"cluster": {"system": "dgx-1-v100"}, "training": {"precision": "bf16"}})", "/training/precision",
     "Allowed: fp32, fp16."},
    {R"({"training": {"precision": "fp32", "gradient_dtype": "bf16"}})", "/training/gradient_dtype", "Allowed: fp32."},
    {R"({"training": {"gradient_dtype": "fp16"}})", "/training/gradient_dtype", "Allowed: fp32, bf16."},
    {R"({"model": "gpt2-124m", "training": {"sequence_length": 2048}})", "/training/sequence_length",
     "beyond the model's 1,024 learned positions"},
    {R"({"model": "t5-3b"})", "/parallelism/pipeline_parallel_size", "not modelled"},
    {R"({"training": {"recompute": {"method": "block", "layers": 9}}})", "/training/recompute/layers",
     "largest model chunk has 8"},
};

void check_refused(const Malformed& malformed) {
  CAPTURE(malformed.patch, malformed.path, malformed.says);
  json scenario = base;
  scenario.merge_patch(json::parse(malformed.patch));
  const json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
  CAPTURE(answer.dump());
  REQUIRE(answer.at("ok") == false);
  const json& issues = answer.at("issues");
  CHECK(std::any_of(issues.begin(), issues.end(), [&](const json& issue) {
    return issue.at("path") == malformed.path &&
           issue.at("message").get<std::string>().find(malformed.says) != std::string::npos;
  }));
  for (const json& issue : issues) {
    const auto message = issue.at("message").get<std::string>();
    CHECK(message.size() < 400);
    CHECK(message.back() != ' ');
  }
}

}  // namespace

TEST_CASE("The scenario that malformed ones are made of is accepted") {
  CHECK(ask({{"command", "estimate"}, {"scenario", base}}).at("ok") == true);
}

TEST_CASE("Values of the wrong type or out of range are refused with path, value and what is allowed") {
  for (const Malformed& malformed : types) {
    if (std::string(malformed.patch).find("null") != std::string::npos) continue;  // a merge patch removes, see below
    check_refused(malformed);
  }
}

TEST_CASE("Missing model and hardware are named") {
  for (const Malformed& malformed : types) {
    if (std::string(malformed.patch).find("null") != std::string::npos) check_refused(malformed);
  }
}

TEST_CASE("Unknown fields are refused with the nearest name or the place where they belong") {
  for (const Malformed& malformed : unknown_fields) check_refused(malformed);
}

TEST_CASE("Fields that contradict each other are refused with one thing to do") {
  for (const Malformed& malformed : combinations) check_refused(malformed);
}

TEST_CASE("At least 120 malformed scenarios are tried") {
  CHECK(std::size(types) + std::size(unknown_fields) + std::size(combinations) >= 120);
}

TEST_CASE("A null stands for nothing, and is refused as such") {
  for (const char* pointer : {"/cluster/gpus", "/parallelism/zero_stage", "/parallelism/sequence_parallel",
                              "/training/precision", "/training/tokens", "/training/recompute"}) {
    json scenario = base;
    scenario[json::json_pointer(pointer)] = nullptr;
    const json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
    CAPTURE(pointer, answer.dump());
    REQUIRE(answer.at("ok") == false);
    CHECK(answer.at("issues").at(0).at("path") == pointer);
    CHECK(answer.at("issues").at(0).at("message").get<std::string>().find("Leave the field out") != std::string::npos);
  }
}

TEST_CASE("All problems of a document are told at once, and none that only follows from another") {
  json scenario = base;
  scenario.merge_patch(json::parse(R"({"model": "lama", "bar": 2, "cluster": {"gpus": "8"},
    "parallelism": {"tensor_parallel_size": -3}, "training": {"precision": "x", "foo": 1, "global_batch_size": 127}})"));
  const json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
  std::vector<std::string> paths;
  for (const json& issue : answer.at("issues")) paths.push_back(issue.at("path"));
  std::sort(paths.begin(), paths.end());
  CHECK(paths == std::vector<std::string>{"/bar", "/cluster/gpus", "/model", "/parallelism/tensor_parallel_size",
                                          "/training/foo", "/training/precision"});
}

TEST_CASE("All bad items of a list and all bad parts of an object are told") {
  json scenario = base;
  scenario.merge_patch(json::parse(R"({"parallelism": {"stage_layers": [8, "8", -8, 8.5]},
    "training": {"recompute": {"method": "x", "layers": 0, "modules": ["mlp", "mlps", 3], "zz": 1}}})"));
  const json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
  std::vector<std::string> paths;
  for (const json& issue : answer.at("issues")) paths.push_back(issue.at("path"));
  std::sort(paths.begin(), paths.end());
  CHECK(paths == std::vector<std::string>{
                     "/parallelism/stage_layers/1", "/parallelism/stage_layers/2", "/parallelism/stage_layers/3",
                     "/training/recompute", "/training/recompute/layers", "/training/recompute/method",
                     "/training/recompute/modules/1", "/training/recompute/modules/2", "/training/recompute/zz"});
}

TEST_CASE("A list of bad items is told of in bounded space") {
  json scenario = base;
  scenario["parallelism"]["stage_layers"] = std::vector<std::string>(10000, "x");
  const json issues = ask({{"command", "estimate"}, {"scenario", scenario}}).at("issues");
  REQUIRE(issues.size() == 51);
  CHECK(issues.back().at("message") == "The other 9,950 items of stage_layers are not looked at.");
}

TEST_CASE("A repeated key hides no other problem") {
  const json answer = json::parse(meshgauge::api(
      R"({"command":"estimate","scenario":{"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":8,"gpus":16},
          "training":{"precision":"fp99"}}})"));
  REQUIRE(answer.at("issues").size() == 2);
  CHECK(answer.at("issues").at(0).at("path") == "/cluster/gpus");
  CHECK(answer.at("issues").at(1).at("path") == "/training/precision");
}

TEST_CASE("What only follows from a schedule is not told beside it") {
  json scenario = base;
  scenario.merge_patch(json::parse(R"({"parallelism": {"pipeline_schedule": "zb-v", "pipeline_parallel_size": 1,
    "data_parallel_size": 8}})"));
  const json issues = ask({{"command", "estimate"}, {"scenario", scenario}}).at("issues");
  REQUIRE(issues.size() == 1);
  CHECK(issues.at(0).at("path") == "/parallelism/pipeline_schedule");
}

TEST_CASE("Names that are too long for the catalog are refused like others") {
  json scenario = base;
  scenario["model"] = std::string(300, 'x');
  CHECK(ask({{"command", "estimate"}, {"scenario", scenario}})
            .at("issues")
            .at(0)
            .at("message")
            .get<std::string>()
            .rfind("unknown model \"xxx", 0) == 0);
}

TEST_CASE("A cluster of null names no hardware") {
  json scenario = base;
  scenario["cluster"] = nullptr;
  const json issues = ask({{"command", "estimate"}, {"scenario", scenario}}).at("issues");
  REQUIRE(issues.size() == 1);
  CHECK(issues.at(0).at("message") == "The cluster names no hardware. Set system or gpu to an id of the catalog.");
}

TEST_CASE("After a hundred problems the rest is counted") {
  json scenario = base;
  for (int i = 0; i < 250; ++i) scenario["unknown" + std::to_string(i)] = i;
  const json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
  REQUIRE(answer.at("issues").size() == meshgauge::most_issues + 1);
  CHECK(answer.at("issues").back().at("message") == "And 150 more problems.");
}

TEST_CASE("Requests are read as strictly as scenarios") {
  const auto first = [](const json& request) { return ask(request).at("issues").at(0).at("path").get<std::string>(); };
  CHECK(first(json::array()) == "");
  CHECK(first(json::object()) == "/command");
  CHECK(first({{"command", "estimat"}}) == "/command");
  CHECK(first({{"command", 1}}) == "/command");
  CHECK(first({{"command", "estimate"}}) == "/scenario");
  CHECK(first({{"command", "estimate"}, {"scenario", 3}}) == "/scenario");
  CHECK(first({{"command", "estimate"}, {"scenario", "handbook:nothing"}}) == "/scenario");
  CHECK(first({{"command", "estimate"}, {"scenario", "llama-2-7b"}}) == "/scenario");
  CHECK(first({{"command", "estimate"}, {"scenario", base}, {"explain", "yes"}}) == "/explain");
  CHECK(first({{"command", "estimate"}, {"scenario", base}, {"explian", true}}) == "/explian");
  CHECK(first({{"command", "estimate"}, {"scenario", base}, {"profile", 3}}) == "/profile");
  CHECK(ask({{"command", "estimate"}, {"scenario", 3}, {"profile", 3}, {"explain", 3}}).at("issues").size() == 3);
  CHECK(first({{"command", "catalog"}}) == "/kind");
  CHECK(first({{"command", "catalog"}, {"kind", "model"}}) == "/kind");
  CHECK(first({{"command", "catalog"}, {"kind", "gpus"}, {"id", 3}}) == "/id");
  CHECK(first({{"command", "catalog"}, {"kind", "gpus"}, {"id", "h200x"}}) == "/id");
  CHECK(first({{"command", "catalog"}, {"kind", "handbook"}, {"id", "nothing"}}) == "/id");
  CHECK(first({{"command", "describe"}, {"all", true}}) == "/all");
}
