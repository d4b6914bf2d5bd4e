// Inverse questions and single changes through the door, each held against plans and estimates of neighbouring values.
#include <string>

#include "core/scenario/rounding.hpp"
#include "core/scenario/words.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace meshgauge {
namespace {

using testing::ask;
using testing::json;

json scenario(std::int64_t gpus) {
  return {{"model", "llama-2-7b"},
          {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", gpus}}},
          {"training", {{"engine", "megatron"}, {"sequence_length", 4096}, {"global_batch_size", 32}}}};
}

bool fits(const json& s, double surety = 0.95) {
  return ask({{"command", "plan"}, {"scenario", s}, {"top", 1}, {"fit_probability", surety}}).at("fits").get<bool>();
}

json solve(const json& s, const char* unknown, json extra = json::object()) {
  extra["command"] = "solve";
  extra["scenario"] = s;
  extra["for"] = unknown;
  return ask(extra);
}

}  // namespace

TEST_CASE("The longest sequence fits, and the next one does not") {
  json s = scenario(2);
  s["parallelism"] = {{"tensor_parallel_size", 2}, {"sequence_parallel", true}};
  s["training"]["micro_batch_size"] = 1;
  s["training"]["recompute"] = "full";
  const json answer = solve(s, "max-seq");
  REQUIRE(answer["ok"] == true);
  REQUIRE(answer["solved"] == true);
  const auto longest = answer["answer"]["value"].get<std::int64_t>(), unit = answer["unit"].get<std::int64_t>();
  CHECK(answer["next"]["value"] == longest + unit);
  CHECK(answer["next"]["reason"].get<std::string>().find("no layout is 95 % likely to fit") != std::string::npos);
  s["training"]["sequence_length"] = longest;
  CHECK(fits(s));
  s["training"]["sequence_length"] = longest + unit;
  CHECK(!fits(s));
  for (std::int64_t n = unit; n < longest; n += std::max(unit, longest / 16 / unit * unit)) {  // nothing below it fails
    s["training"]["sequence_length"] = n;
    CHECK(fits(s));
  }
}

TEST_CASE("An answer fits as surely as is asked, and says what binds") {
  json s = scenario(8);
  s["training"]["micro_batch_size"] = 1;
  std::int64_t last = 0;
  for (const double surety : {0.95, 0.7, 0.5}) {
    const json answer = solve(s, "max-seq", {{"fit_probability", surety}});
    INFO(answer.dump());
    REQUIRE(answer["solved"] == true);
    const json& plan = answer["answer"]["plan"];
    CHECK(plan["fit_probability"].get<double>() >= surety);
    CHECK(answer["answer"]["value"].get<std::int64_t>() > last);
    last = answer["answer"]["value"].get<std::int64_t>();
    // The layout of the answer is one that plan finds, and an estimate calls it as sure.
    const json estimate = testing::estimate(plan["scenario"]);
    CHECK(estimate["fit_probability"] == plan["fit_probability"]);
    CHECK(estimate["memory"]["device_bytes"] == plan["device_bytes"]);
    CHECK(plan["binding"]["stage"] == estimate["memory"]["binding"]["stage"]);
    CHECK(plan["binding"]["phase"] == estimate["memory"]["binding"]["phase"]);
    double largest = 0;
    const auto stage = estimate["memory"]["binding"]["stage"].get<std::size_t>();
    for (const json& line : estimate["memory"]["stages"][stage]["lines"]) {
      largest = std::max(largest, line["bytes"].get<double>());
    }
    CHECK(plan["binding"]["line_bytes"] == largest);
    const std::string words = answer["text"].get<std::string>();
    CHECK(words.find(plan["binding"]["line_name"].get<std::string>()) != std::string::npos);
    // What it needs, not what the allocator may keep beside it.
    const double needed = plan["needed_bytes"].get<double>() / 1073741824.0;
    CHECK(words.find("likely to fit: " + number_text(round_significant(needed, 3)) + " GiB of ") != std::string::npos);
  }
  CHECK(solve(s, "max-seq", {{"fit_probability", 1}})["ok"] == false);
  CHECK(solve(s, "max-seq", {{"fit_probability", 0.3}})["ok"] == false);
}

TEST_CASE("Plans of a least chance to fit leave out what is less sure, and no other") {
  json s = scenario(8);
  s["training"]["sequence_length"] = 32768;
  const auto plans = [&](double surety) {
    return ask({{"command", "plan"}, {"scenario", s}, {"top", 100}, {"fit_probability", surety}});
  };
  const json sure = plans(0.95), predicted = plans(0.5);
  REQUIRE(sure["fits"] == true);
  for (const json& plan : sure["plans"]) CHECK(plan["fit_probability"].get<double>() >= 0.95);
  for (const json& plan : predicted["plans"]) CHECK(plan["fit_probability"].get<double>() >= 0.5);
  // The fastest of the sure ones is no slower than any sure one of all.
  for (const json& plan : predicted["plans"]) {
    if (plan["fit_probability"].get<double>() < 0.95) continue;
    CHECK(sure["plans"][0]["step_seconds"].get<double>() <= plan["step_seconds"].get<double>());
  }
  CHECK(sure["search"]["layouts_that_fit"].get<double>() < predicted["search"]["layouts_that_fit"].get<double>());
  for (const json& point : sure["frontier"]) {
    CHECK(point["device_bytes"] == testing::estimate([&] {
            json document = s;
            for (const char* section : {"cluster", "parallelism", "training"}) {
              document[section].update(point["set"][section]);
            }
            return document;
          }())["memory"]["device_bytes"]);
  }
}

TEST_CASE("A sequence beyond the positions of the model is said to be") {
  json s = scenario(8);
  s["training"]["recompute"] = "full";
  const json answer = solve(s, "max-seq");
  REQUIRE(answer["solved"] == true);
  CHECK(answer["answer"]["model_positions"] == 4096);
  CHECK(answer["text"].get<std::string>().find("beyond the 4096 positions") != std::string::npos);
}

TEST_CASE("Fewest GPUs and largest micro-batch agree with plans of every value") {
  json s = scenario(8);
  const json gpus = solve(s, "min-gpus");
  REQUIRE(gpus["solved"] == true);
  for (const std::int64_t n : {1, 2, 4, 8}) {
    s["cluster"]["gpus"] = n;
    CHECK(fits(s) == (n >= gpus["answer"]["value"].get<std::int64_t>()));
  }
  s = scenario(8);
  const json batch = solve(s, "max-micro-batch");
  REQUIRE(batch["solved"] == true);
  for (const std::int64_t b : {1, 2, 4, 8, 16, 32}) {
    s["training"]["micro_batch_size"] = b;
    if (b >= batch["answer"]["value"].get<std::int64_t>()) {
      CHECK(fits(s) == (b == batch["answer"]["value"].get<std::int64_t>()));
    }
  }
}

TEST_CASE("Deadlines and efficiencies name what they need, and refuse without it") {
  CHECK(solve(scenario(8), "deadline")["ok"] == false);
  CHECK(solve(scenario(8), "min-global-batch")["ok"] == false);
  CHECK(solve(scenario(8), "fun")["ok"] == false);
  json s = scenario(8);
  s["training"]["tokens"] = 1e10;
  const json soon = solve(s, "deadline", {{"days", 30}});
  REQUIRE(soon["solved"] == true);
  CHECK(soon["answer"]["days"].get<double>() <= 30);
  CHECK(solve(s, "deadline", {{"days", 0.01}})["solved"] == false);
}

TEST_CASE("Advice is what an estimate of the changed scenario says, what fits and is fast first") {
  json s = scenario(8);
  s["training"]["micro_batch_size"] = 4;
  const json before = testing::estimate(s);
  const json answer = ask({{"command", "advise"}, {"scenario", s}});
  REQUIRE(answer["ok"] == true);
  CHECK(answer["device_bytes"] == before["memory"]["device_bytes"]);
  REQUIRE(answer["changes"].size() > 3);
  bool fitted = true;
  for (const json& change : answer["changes"]) {
    const bool now = change["fits"].get<bool>();
    CHECK((fitted || !now));
    fitted = now;
    json changed = before["scenario"];
    for (const auto& [path, value] : change["set"].items()) changed[json::json_pointer(path)] = value;
    const json after = testing::estimate(changed);
    CHECK(after["memory"]["device_bytes"] == change["device_bytes"]);
    CHECK(after["memory"]["needed_bytes"] == change["needed_bytes"]);
    CHECK(after["step"]["seconds"] == change["step_seconds"]);
    const bool saves = change["needed_bytes"] < answer["needed_bytes"] || change["saved_time"].get<double>() > 0;
    CHECK(saves);
  }
}

TEST_CASE(
    "On a card that the allocator's cache fills, what lowers the need is advised although the device stays full") {
  json s{{"model", "llama-3.2-1b"},
         {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", 8}}},
         {"training", {{"engine", "deepspeed"}, {"sequence_length", 1024}, {"global_batch_size", 256}}}};
  s["training"]["micro_batch_size"] = 1;
  const json roomy = testing::estimate(s);
  const double needed = roomy["memory"]["needed_bytes"], device = roomy["memory"]["device_bytes"];
  REQUIRE(device > needed + 1e9);
  s["cluster"]["memory_bytes"] = needed + 1e6;
  const json answer = ask({{"command", "advise"}, {"scenario", s}});
  REQUIRE(answer["ok"] == true);
  CHECK(answer["device_bytes"] == answer["capacity_bytes"]);
  CHECK(answer["needed_bytes"] == needed);
  int still_full = 0;
  for (const json& change : answer["changes"]) {
    const bool less = change["needed_bytes"] < answer["needed_bytes"], slower = change["saved_time"].get<double>() <= 0;
    still_full += less && slower && change["device_bytes"] == answer["device_bytes"] ? 1 : 0;
  }
  CHECK(still_full > 0);
}

}  // namespace meshgauge
