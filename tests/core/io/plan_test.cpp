// Plans through the door: answers, fixed dimensions, shards that are merged, bad input.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace meshgauge {
namespace {

using testing::ask;
using testing::estimate;
using testing::json;

json scenario() {
  return {{"model", "llama-2-7b"},
          {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", 16}}},
          {"training", {{"engine", "megatron"}, {"sequence_length", 4096}, {"global_batch_size", 64}}}};
}

json plan(json scenario, json extra = json::object()) {
  extra["command"] = "plan";
  extra["scenario"] = std::move(scenario);
  return ask(extra);
}

std::string messages(const json& answer) {
  std::string text;
  for (const json& issue : answer["issues"]) {
    text += issue["path"].get<std::string>() + ": " + issue["message"].get<std::string>() + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("A plan's scenario is estimated to what the plan says") {
  const json answer = plan(scenario());
  REQUIRE(answer["ok"] == true);
  REQUIRE(answer["fits"] == true);
  REQUIRE(answer["plans"].size() == 5);
  double before = 0;
  for (const json& p : answer["plans"]) {
    const json same = estimate(p["scenario"]);
    CHECK(same["fits"] == true);
    CHECK(same["step"]["seconds"] == p["step_seconds"]);
    CHECK(same["step"]["breakdown"] == p["breakdown"]);
    CHECK(same["memory"]["device_bytes"] == p["device_bytes"]);
    CHECK(p["step_seconds"].get<double>() >= before);
    before = p["step_seconds"].get<double>();
  }
  for (const char* key : {"decision", "binding", "runner_up", "misses", "sensitivity"}) {
    INFO(key);
    CHECK(answer["reasons"].contains(key));
  }
}

TEST_CASE("What a scenario says of the layout is fixed in its plans") {
  json s = scenario();
  s["parallelism"] = {{"tensor_parallel_size", 4}, {"pipeline_parallel_size", 2}, {"zero_stage", 0}};
  s["training"]["micro_batch_size"] = 2;
  s["training"]["recompute"] = "full";
  const json answer = plan(s);
  REQUIRE(answer["fits"] == true);
  for (const json& p : answer["plans"]) {
    CHECK(p["scenario"]["parallelism"]["tensor_parallel_size"] == 4);
    CHECK(p["scenario"]["parallelism"]["pipeline_parallel_size"] == 2);
    CHECK(p["scenario"]["parallelism"]["zero_stage"] == 0);
    CHECK(p["scenario"]["training"]["micro_batch_size"] == 2);
    CHECK(p["scenario"]["training"]["recompute"] == "full");
  }
}

TEST_CASE("The points of a plan are replayed as its list is, and its first layout is the fastest of them that fits") {
  const json job = {{"model", "llama-3.1-405b"},  // 126 layers, of which few pipelines have equal parts
                    {"cluster", {{"system", "dgx-h100"}, {"gpus", 16384}}},
                    {"training", {{"engine", "megatron"}, {"sequence_length", 8192}, {"global_batch_size", 2048}}}};
  const json answer = plan(job);
  REQUIRE(answer["frontier"].size() > 2);
  double fastest = 0;
  for (const json& point : answer["frontier"]) {
    INFO(point["layout"]);
    json laid_out = job;
    for (const auto& [section, fields] : point["set"].items()) laid_out[section].update(fields);
    const double replayed = estimate(laid_out)["step"]["seconds"].get<double>();
    CHECK(point["step_seconds"].get<double>() == Approx(replayed).epsilon(1e-5));  // six digits are written
    if (fastest == 0 && point["fits"] == true) fastest = point["step_seconds"].get<double>();
  }
  CHECK(fastest == Approx(answer["plans"][0]["step_seconds"].get<double>()).epsilon(1e-5));
}

TEST_CASE("Four shards merged are the answer of one search") {
  const json one = plan(scenario());
  json parts = json::array();
  for (int i = 0; i < 4; ++i) parts.push_back(plan(scenario(), {{"shard", {{"index", i}, {"count", 4}}}}));
  json merged = ask({{"command", "plan"}, {"merge", parts}});
  REQUIRE(merged["ok"] == true);
  for (const char* key : {"plans", "frontier", "excluded", "reasons", "fits", "question"}) {
    INFO(key);
    CHECK(merged[key] == one[key]);
  }
  CHECK(merged["search"]["grids"] == one["search"]["grids"]);
}

TEST_CASE("Shards that are told what others found leave out what is worse, and nothing else") {
  const json one = plan(scenario());
  json parts = json::array();
  json limit;
  for (int i = 0; i < 8; ++i) {
    json extra{{"shard", {{"index", i}, {"count", 8}}}};
    if (!limit.is_null()) extra["no_worse_than"] = limit;
    parts.push_back(plan(scenario(), extra));
    const json& found = parts.back()["no_worse_than"];
    if (!found.is_null() && (limit.is_null() || found < limit)) limit = found;
  }
  const json merged = ask({{"command", "plan"}, {"merge", parts}});
  CHECK(merged["plans"] == one["plans"]);
  CHECK(merged["frontier"] == one["frontier"]);
}

TEST_CASE("A search goes on from the answer where it stopped, and ends as one search does") {
  const json one = plan(scenario());
  json part = plan(scenario(), {{"budget", 2000}});
  REQUIRE(part["ok"] == true);
  CHECK(part["complete"] == false);
  const json early = ask({{"command", "plan"}, {"merge", {part}}});
  CHECK(early["search"]["complete"] == false);
  CHECK(early["plans"].size() > 0);
  int slices = 1;
  for (; part["complete"] == false && slices < 1000; ++slices) {
    part = ask({{"command", "plan"}, {"resume", part}, {"budget", 2000}});
    REQUIRE(part["ok"] == true);
  }
  CHECK(slices > 2);
  CHECK(part["decided"] == part["found"]["counts"]["grids"]);
  const json last = ask({{"command", "plan"}, {"merge", {part}}});
  for (const char* key : {"plans", "frontier", "reasons"}) CHECK(last[key] == one[key]);
  CHECK(last["search"]["complete"] == true);
  CHECK(one["search"]["complete"] == true);
}

TEST_CASE("A layout that is given to be compared is told its place, and the best stands at the top") {
  const json best = plan(scenario())["plans"][0]["scenario"];
  const json same = plan(best, {{"open", true}});
  REQUIRE(same["ok"] == true);
  CHECK(same["against"]["step_seconds"] == same["plans"][0]["step_seconds"]);
  CHECK(same["against"]["slower_seconds"] == 0.0);
  CHECK(same["against"]["fits"] == true);
  json slow = best;
  slow["training"]["recompute"] = "full";
  slow["parallelism"]["pipeline_parallel_size"] = 8;
  slow["parallelism"]["tensor_parallel_size"] = 1;
  slow["parallelism"]["context_parallel_size"] = 1;
  for (const char* key : {"data_parallel_size", "virtual_pipeline_size", "stage_layers", "pipeline_schedule",
                          "sequence_parallel", "replicas", "micro_batch_group"}) {
    slow["parallelism"].erase(key);
  }
  const json compared = plan(slow, {{"open", true}});
  INFO(compared.dump());
  REQUIRE(compared["ok"] == true);
  CHECK(compared["plans"][0]["step_seconds"] == same["plans"][0]["step_seconds"]);
  CHECK(compared["against"]["slower_seconds"].get<double>() > 0);
  CHECK(compared["against"]["grids_with_faster"].get<int>() > 0);
  double sum = 0;
  for (const auto& [term, seconds] : compared["against"]["by_term"].items()) sum += seconds.get<double>();
  CHECK(std::abs(sum - compared["against"]["slower_seconds"].get<double>()) < 1e-4 * sum);
}

TEST_CASE("What cannot be gone on with is refused") {
  json part = plan(scenario(), {{"budget", 2000}});
  const json beside = ask({{"command", "plan"}, {"resume", part}, {"top", 3}, {"budget", 0}});
  CHECK(beside["ok"] == false);
  CHECK(messages(beside).find("/top") != std::string::npos);
  CHECK(messages(beside).find("/budget") != std::string::npos);
  part["decided"] = -1;
  part["found"]["best"] = 3;
  for (const json& resume : {part, json(3), json::object(), json{{"question", json::object()}, {"found", 1}}}) {
    const json answer = ask({{"command", "plan"}, {"resume", resume}});
    CHECK(answer["ok"] == false);
    CHECK(!answer["issues"].empty());
  }
}

TEST_CASE("Where nothing fits the answer says so, and what lacks least") {
  json s = scenario();
  s["model"] = "llama-2-70b";
  s["cluster"]["gpus"] = 4;
  const json answer = plan(s);
  REQUIRE(answer["ok"] == true);
  CHECK(answer["fits"] == false);
  CHECK(answer["plans"].empty());
  CHECK(answer["reasons"]["misses"].size() > 0);
  CHECK(answer["reasons"]["decision"][0]["fits"] == false);
}

TEST_CASE("Rules that leave layouts out are named, with what would be legal") {
  json s = scenario();
  s["training"]["global_batch_size"] = 24;
  const json answer = plan(s);
  bool batch = false;
  for (const json& e : answer["excluded"]) {
    if (e["rule"] != "batch") continue;
    batch = true;
    CHECK(e["count"].get<int>() > 0);
    CHECK(e["nearest"]["message"].get<std::string>().find("is no multiple of") != std::string::npos);
  }
  CHECK(batch);
}

TEST_CASE("A dense model's tokens for the money prefer few GPUs") {
  json s = scenario();
  s["cluster"]["usd_per_gpu_hour"] = 2;
  s["cluster"]["gpus"] = 32;
  const json answer = plan(s, {{"objective", "tokens-per-dollar"}});
  REQUIRE(answer["fits"] == true);
  double before = 1e300;
  for (const json& p : answer["plans"]) {
    CHECK(p["tokens_per_dollar"].get<double>() <= before);
    before = p["tokens_per_dollar"].get<double>();
  }
  CHECK(answer["plans"][0]["scenario"]["cluster"]["gpus"].get<int>() < 32);
}

TEST_CASE("Plans ranked by memory begin with the least") {
  const json answer = plan(scenario(), {{"objective", "memory"}});
  REQUIRE(answer["fits"] == true);
  double before = 0;
  for (const json& p : answer["plans"]) {
    CHECK(p["device_bytes"].get<double>() >= before);
    before = p["device_bytes"].get<double>();
  }
}

TEST_CASE("Requests for plans that cannot be read are refused with every problem") {
  const json answer = ask({{"command", "plan"},
                           {"scenario", {{"model", "llama-2-7b"}, {"cluster", {{"system", "nothing-like-it"}}}}},
                           {"objective", "fun"},
                           {"top", 0},
                           {"shard", {{"index", 4}, {"count", 4}}},
                           {"topp", 1}});
  CHECK(answer["ok"] == false);
  const std::string text = messages(answer);
  for (const char* part : {"/objective", "/top:", "/shard/index", "/topp", "nothing-like-it"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("What is no answer of a shard is not merged") {
  json part = plan(scenario(), {{"shard", {{"index", 0}, {"count", 2}}}});
  json other = part;
  other["question"]["top"] = 7;
  for (const json& parts : {json::array(), json::array({1, "x", nullptr}), json::array({part, other}),
                            json::array({json{{"question", 3}, {"found", 4}}}), json(5)}) {
    const json answer = ask({{"command", "plan"}, {"merge", parts}});
    CHECK(answer["ok"] == false);
    CHECK(!answer["issues"].empty());
  }
  json broken = part;
  broken["found"]["best"][0]["layout"]["parallelism"]["tensor_parallel_size"] = 7;
  broken["found"]["frontier"] = "many";
  const json answer = ask({{"command", "plan"}, {"merge", {broken}}});
  CHECK(answer["ok"] == false);
  CHECK(messages(answer).find("attention heads") != std::string::npos);
  CHECK(messages(answer).find("/merge/0/found/frontier") != std::string::npos);
}

TEST_CASE("Layouts of a part are read back as they were written, and nothing but layouts is read") {
  const json part = plan(scenario(), {{"shard", {{"index", 0}, {"count", 1}}}});
  REQUIRE(part["found"]["best"].size() > 1);
  const json again = ask({{"command", "plan"}, {"resume", part}});
  CHECK(again["found"]["best"] == part["found"]["best"]);
  CHECK(again["found"]["frontier"] == part["found"]["frontier"]);
  const auto refused = [&](const char* pointer, const json& value) {
    json broken = part;
    broken["found"]["best"][1][json::json_pointer(pointer)] = value;
    const json answer = ask({{"command", "plan"}, {"resume", broken}, {"budget", 1}});
    CHECK(answer["ok"] == false);
    return messages(answer);
  };
  const auto has = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  CHECK(has(refused("/layout/parallelism/tensor_parallel_size", 7), "/resume/found/best/1/layout/parallelism/tensor"));
  CHECK(has(refused("/layout/parallelism/tensor_parallel_size", 4294967297), "Allowed: 1 to 1,000,000"));
  CHECK(has(refused("/layout/parallelism/tensor_parallel_size", "two"), "/layout/parallelism/tensor_parallel_size"));
  CHECK(has(refused("/layout/parallelism/pipeline_layout", "Et|tL"), "/layout/parallelism/pipeline_layout"));
  CHECK(has(refused("/layout/cluster/gpu", "a100-sxm-80gb"), "/layout/cluster/gpu"));
  CHECK(has(refused("/layout/training/recompute", json{{"layers", -1}}), "/layout/training/recompute"));
  CHECK(has(refused("/layout/run", json::object()), "/layout/run"));
  CHECK(has(refused("/layout", nullptr), "/resume/found/best/1"));
  CHECK(has(refused("/closed_form_seconds", -1), "/closed_form_seconds"));
  CHECK(has(refused("/device_bytes", "all"), "/device_bytes"));
}

TEST_CASE("The scenario that no engine can train is refused, not searched") {
  json s = scenario();
  s["training"]["precision"] = "fp8";
  const json answer = plan(s);
  CHECK(answer["ok"] == false);
  CHECK(messages(answer).find("precision is fp8") != std::string::npos);
}

}  // namespace meshgauge
