// The answer to `estimate`: every part is there, sums are sums, and nothing is ever infinite.
#include <cmath>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::estimate;
using meshgauge::testing::json;

json scenario(const std::string& model, const std::string& system, int gpus, json parallelism = json::object(),
              json training = json::object()) {
  return {{"model", model},
          {"cluster", {{"system", system}, {"gpus", gpus}}},
          {"parallelism", std::move(parallelism)},
          {"training", std::move(training)}};
}

/// True if no number is missing: NaN and infinities are written as null.
void check_finite(const json& value, const std::string& path) {
  if (value.is_structured()) {
    for (const auto& [key, child] : value.items()) check_finite(child, path + '/' + key);
  } else if (value.is_null()) {
    CAPTURE(path);
    // Which algorithm runs is known of NCCL alone.
    const bool choice = path.find("/algorithm") != std::string::npos || path.find("/protocol") != std::string::npos ||
                        path.find("/channels") != std::string::npos;
    CHECK((path == "/run" || path == "/run/cost" || (choice && path.rfind("/traffic/", 0) == 0)));
  } else if (value.is_number()) {
    CHECK(std::isfinite(value.get<double>()));
  }
}

void check_sums(const json& answer) {
  const json& memory = answer.at("memory");
  double most = -1;
  for (const json& stage : memory.at("stages")) {
    double allocated = 0, reserve = 0, all = 0;
    for (const json& line : stage.at("lines")) {
      const double bytes = line.at("bytes");
      all += bytes;
      if (line.at("category") != "overhead") allocated += bytes;
      if (line.at("id") == "allocator_reserve") reserve += bytes;
    }
    CHECK(all == stage.at("peak_bytes"));
    CHECK(all == stage.at("device_bytes"));
    CHECK(allocated == stage.at("allocated_bytes"));
    CHECK(allocated + reserve == stage.at("reserved_bytes"));
    double peak = 0;
    for (const json& bytes : stage.at("phases")) peak = std::max(peak, bytes.get<double>());
    CHECK(peak == stage.at("peak_bytes"));
    CHECK(stage.at("phases").at(stage.at("peak_phase").get<std::string>()) == stage.at("peak_bytes"));
    most = std::max(most, peak);
    for (const auto& [phase, bytes] : stage.at("phases").items()) {
      double sum = 0;
      for (const char* list : {"lines", "other_lines"}) {
        for (const json& line : stage.at(list)) {
          for (const json& p : line.at("phases")) sum += p == phase ? line.at("bytes").get<double>() : 0;
        }
      }
      CHECK(sum == bytes);
    }
  }
  const json& binding = memory.at("stages").at(memory.at("binding").at("stage").get<std::size_t>());
  CHECK(most == memory.at("device_bytes"));
  CHECK(binding.at("device_bytes") == memory.at("device_bytes"));
  CHECK(binding.at("allocated_bytes") == memory.at("allocated_bytes"));
  CHECK(binding.at("reserved_bytes") == memory.at("reserved_bytes"));
  CHECK(binding.at("peak_phase") == memory.at("binding").at("phase"));
  CHECK(memory.at("device_low_bytes") < memory.at("device_bytes"));
  CHECK(memory.at("device_high_bytes") > memory.at("device_bytes"));
  CHECK(answer.at("fits") == (memory.at("device_bytes") <= memory.at("capacity_bytes")));

  const json& step = answer.at("step");
  double seconds = 0;
  for (const json& part : step.at("breakdown")) seconds += part.get<double>();
  CHECK(seconds == Approx(step.at("seconds").get<double>()).epsilon(1e-5));
  CHECK(step.at("low_seconds") <= step.at("seconds"));
  CHECK(step.at("high_seconds") >= step.at("seconds"));
  CHECK(step.at("mfu_convention") == "causal");
  CHECK(step.at("mfu_conventions").at("causal") == step.at("mfu"));
}

}  // namespace

TEST_CASE("Lines add up to phases, phases to peaks, parts to the step") {
  check_sums(estimate(scenario("llama-2-7b", "dgx-h100", 64,
                               {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}}, {{"tokens", 1e12}})));
  check_sums(estimate(scenario("llama-2-70b", "dgx-a100-80gb", 64, {{"zero_stage", 3}})));
  check_sums(estimate(scenario("mixtral-8x7b", "dgx-h100", 32, {{"expert_parallel_size", 8}})));
  check_sums(estimate(scenario("bert-base", "4x-rtx-3090", 4)));
  check_sums(estimate(scenario("llama-2-7b", "dgx-1-v100-32gb", 1)));
}

TEST_CASE("Memory fits or not by the device bytes, with a probability that is never certain") {
  const json small = estimate(scenario("gpt2-124m", "dgx-h100", 8));
  CHECK(small.at("fits") == true);
  CHECK(small.at("fit_probability") == 0.99);
  const json large = estimate(scenario("llama-2-70b", "dgx-h100", 8));
  CHECK(large.at("fits") == false);
  CHECK(large.at("fit_probability") == 0.01);
  json exact = scenario("llama-2-7b", "dgx-h100", 8);
  exact["cluster"]["memory_bytes"] = estimate(exact).at("memory").at("device_bytes");
  CHECK(estimate(exact).at("fits") == true);
  CHECK(estimate(exact).at("fit_probability").get<double>() == Approx(0.5));
}

TEST_CASE(
    "Need, range and chance of fitting are one distribution: the range holds the card where the verdict is open") {
  int open = 0;
  for (const char* engine : {"megatron", "deepspeed", "fsdp2", "ddp"}) {
    for (const int gib : {6, 8, 10, 12, 14, 16, 18, 20, 24, 32, 48, 64, 80}) {
      json asked = scenario("llama-3.2-1b", "dgx-h100", 8, json::object(), {{"engine", engine}});
      asked["cluster"]["memory_bytes"] = gib * 1073741824.0;
      const json answer = estimate(asked);
      const json& memory = answer.at("memory");
      const double low = memory.at("needed_low_bytes"), high = memory.at("needed_high_bytes");
      const double needed = memory.at("needed_bytes"), capacity = memory.at("capacity_bytes");
      const double chance = answer.at("fit_probability");
      CAPTURE(engine, gib, low, needed, high, chance);
      CHECK((low < needed && needed < high));
      CHECK(needed <= memory.at("device_bytes").get<double>());
      CHECK(answer.at("fits") == (needed <= capacity));
      CHECK((chance >= 0.5) == (needed <= capacity));
      // The ends are the quantiles of 5 and 95 %, by an approximation that is off by less than 0.00025.
      if (capacity > high) CHECK(chance > 0.9495);
      if (capacity < low) CHECK(chance < 0.0505);
      if (low < capacity && capacity < high) {
        CHECK((0.0495 < chance && chance < 0.9505));
        ++open;
      }
    }
  }
  CHECK(open >= 4);
}

TEST_CASE("Each stage says what it needs, and cached blocks that fill a card are no need") {
  const json cut =
      estimate(scenario("llama-2-7b", "dgx-h100", 64, {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}}));
  const json& memory = cut.at("memory");
  for (const json& stage : memory.at("stages")) CHECK(stage.at("needed_bytes") <= stage.at("device_bytes"));
  const json& binding = memory.at("stages").at(memory.at("binding").at("stage").get<std::size_t>());
  CHECK(binding.at("needed_bytes") == memory.at("needed_bytes"));

  json full = scenario("llama-2-7b", "dgx-h100", 64, {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}});
  full["cluster"]["memory_bytes"] = memory.at("device_bytes").get<double>() - 1e8;
  const json there = estimate(full);
  CHECK(there.at("memory").at("device_bytes") == there.at("memory").at("capacity_bytes"));
  CHECK(there.at("memory").at("needed_bytes") == memory.at("needed_bytes"));
}

TEST_CASE("The largest legal inputs give finite numbers") {
  // 1e6 GPUs, and a model of about 1e14 parameters.
  json model = {{"model_type", "llama"},        {"hidden_size", 262144},
                {"intermediate_size", 1048576}, {"num_hidden_layers", 128},
                {"num_attention_heads", 2048},  {"num_key_value_heads", 2048},
                {"vocab_size", 262144},         {"max_position_embeddings", 1000000000}};
  json huge = {{"model", model},
               {"cluster", {{"system", "dgx-h100"}, {"gpus", 1000000}}},
               {"parallelism", {{"tensor_parallel_size", 8}}},
               {"training", {{"tokens", 1e18}, {"global_batch_size", 1000000000}, {"sequence_length", 1000000000}}}};
  const json answer = estimate(huge);
  CHECK(answer.at("model").at("parameters").get<double>() > 1e14);
  CHECK(answer.at("fits") == false);
  check_finite(answer, "");
  huge["training"]["attention"] = "unfused";
  check_finite(estimate(huge), "");
  huge["parallelism"] = {{"pipeline_parallel_size", 64}, {"tensor_parallel_size", 8}, {"context_parallel_size", 125}};
  huge["cluster"]["gpus"] = 64 * 8 * 125;
  huge["training"]["global_batch_size"] = 999999936;
  check_finite(estimate(huge), "");
  huge["training"]["micro_batch_size"] = 1000000;
  huge["training"]["global_batch_size"] = 1000000000;
  check_finite(estimate(huge), "");
}

TEST_CASE("The slowest links and longest latencies give finite numbers") {
  json slow = scenario("llama-2-7b", "dgx-h100", 1000000);
  slow["cluster"]["inter_node_bytes_per_second"] = 1e6;
  slow["cluster"]["intra_node_bytes_per_second"] = 1e6;
  slow["cluster"]["inter_node_latency_seconds"] = 1;
  slow["cluster"]["intra_node_latency_seconds"] = 1;
  slow["training"]["tokens"] = 1e18;
  check_finite(estimate(slow), "");
}

TEST_CASE("Every model of the catalog has an estimate on eight GPUs") {
  const json models = ask({{"command", "catalog"}, {"kind", "models"}});
  for (const json& entry : models.at("entries")) {
    CAPTURE(entry.at("id"));
    const json answer =
        ask({{"command", "estimate"}, {"scenario", scenario(entry.at("id"), "dgx-h100", 8)}, {"explain", false}});
    CAPTURE(answer.dump().substr(0, 500));
    REQUIRE(answer.at("ok") == true);
    check_finite(answer, "");
  }
}

TEST_CASE("Every GPU and system of the catalog has an estimate") {
  const json systems = ask({{"command", "catalog"}, {"kind", "systems"}});
  for (const json& entry : systems.at("entries")) {
    CAPTURE(entry.at("id"));
    check_finite(estimate({{"model", "gpt2-124m"}, {"cluster", {{"system", entry.at("id")}, {"gpus", 16}}}}), "");
  }
  const json gpus = ask({{"command", "catalog"}, {"kind", "gpus"}});
  for (const json& entry : gpus.at("entries")) {
    CAPTURE(entry.at("id"));
    check_finite(estimate({{"model", "gpt2-124m"}, {"cluster", {{"gpu", entry.at("id")}, {"gpus", 16}}}}), "");
  }
}

TEST_CASE("Without explanation lines keep their figures and drop their reasons") {
  const json s = scenario("llama-2-7b", "dgx-h100", 8);
  const json full = estimate(s);
  json brief = ask({{"command", "estimate"}, {"scenario", s}, {"explain", false}});
  const json& line = full.at("memory").at("stages").at(0).at("lines").at(0);
  CHECK_FALSE(line.at("formula").get<std::string>().empty());
  CHECK_FALSE(line.at("source").get<std::string>().empty());
  CHECK(line.at("values").is_object());
  CHECK_FALSE(brief.at("memory").at("stages").at(0).at("lines").at(0).contains("formula"));
  CHECK(brief.at("memory").at("device_bytes") == full.at("memory").at("device_bytes"));
}

TEST_CASE("A handbook case is evaluated and returned beside its estimate") {
  const json list = ask({{"command", "catalog"}, {"kind", "handbook"}});
  REQUIRE(list.at("ok") == true);
  for (const json& entry : list.at("entries")) {
    CAPTURE(entry.at("id"));
    const json answer = estimate("handbook:" + entry.at("id").get<std::string>());
    CHECK(answer.at("case") == entry);
    CHECK(answer.at("memory") == estimate(entry.at("scenario")).at("memory"));
  }
}

TEST_CASE("The run is told when its tokens are") {
  json s = scenario("llama-2-7b", "dgx-h100", 64);
  CHECK(estimate(s).at("run").is_null());
  s["training"]["tokens"] = 1e12;
  CHECK(estimate(s).at("run").at("cost").is_null());
  s["cluster"]["usd_per_gpu_hour"] = 2;
  const json run = estimate(s).at("run");
  CHECK(run.at("gpu_hours").get<double>() == Approx(run.at("days").get<double>() * 24 * 64).epsilon(1e-5));
  CHECK(run.at("cost").get<double>() == Approx(run.at("gpu_hours").get<double>() * 2).epsilon(1e-5));
}

TEST_CASE("A profile replaces datasheet prices field by field") {
  const json s = scenario("llama-2-7b", "dgx-h100", 8);
  const json before = estimate(s);
  const auto with = [&](const json& profile) {
    return ask({{"command", "estimate"}, {"scenario", s}, {"profile", profile}});
  };
  CHECK(with(json::object()) == before);
  const json slower = with({{"schema_version", 1}, {"name", "slow"}, {"matmul_16bit_flops_per_second", 1e14}});
  CHECK(slower.at("profile").at("name") == "slow");
  CHECK(slower.at("step").at("seconds") > before.at("step").at("seconds"));
  const json context = with({{"context_bytes", 0}, {"allocator_slack", 0}, {"least_slack", 0}});
  CHECK(context.at("memory").at("allocated_bytes") == before.at("memory").at("allocated_bytes"));
  CHECK(context.at("memory").at("reserved_bytes") == context.at("memory").at("allocated_bytes"));
  const auto path_of = [&](const json& profile) {
    return with(profile).at("issues").at(0).at("path").get<std::string>();
  };
  CHECK(path_of({{"schema_version", 2}}) == "/profile/schema_version");
  CHECK(path_of({{"hbm_bytes_per_second", 0}}) == "/profile/hbm_bytes_per_second");
  CHECK(path_of({{"hbm_bytes_per_second", "fast"}}) == "/profile/hbm_bytes_per_second");
  CHECK(path_of({{"memory_sigma", 2}}) == "/profile/memory_sigma");
  CHECK(path_of({{"hbm", 1}}) == "/profile/hbm");
}
