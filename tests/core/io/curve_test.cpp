// The commands `curve` and `detail`.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::json;

const json tensor_parallel = {
    {"model", "llama-2-70b"},
    {"cluster", {{"system", "dgx-h100"}, {"gpus", 16}}},
    {"parallelism", {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 2}, {"sequence_parallel", false}}},
    {"training", {{"engine", "megatron"}, {"global_batch_size", 16}}}};

json detail(const json& scenario) { return ask({{"command", "detail"}, {"scenario", scenario}}); }
json traffic_of(const json& scenario) { return ask({{"command", "estimate"}, {"scenario", scenario}})["traffic"]; }

/// Place of the first transfer of that collective and group.
std::size_t place_of(const json& traffic, const std::string& collective, const std::string& group) {
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i]["collective"] == collective && traffic[i]["group"] == group) return i;
  }
  FAIL(collective << " of " << group);
  return 0;
}

json curve(const json& scenario, std::size_t transfer, const json& more = json::object()) {
  json request = {{"command", "curve"}, {"scenario", scenario}, {"transfer", transfer}};
  request.update(more);
  return ask(request);
}

std::string first_issue(const json& answer) {
  REQUIRE_FALSE(answer["ok"]);
  return answer["issues"][0]["path"].get<std::string>() + ": " + answer["issues"][0]["message"].get<std::string>();
}

}  // namespace

TEST_CASE("A curve goes through its own transfer and from 1 KiB to 1 GiB") {
  const json traffic = traffic_of(tensor_parallel), messages = detail(tensor_parallel)["messages"];
  REQUIRE(messages.size() == traffic.size());
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const json answer = curve(tensor_parallel, i);
    REQUIRE(answer["ok"]);
    CHECK(answer["id"] == traffic[i]["id"]);
    json message = answer["message"];
    message["id"] = traffic[i]["id"];
    CHECK(message == messages[i]);
    CHECK(answer["message"]["message_seconds"] == traffic[i]["message_seconds"]);
    CHECK(answer["message"]["algorithm"] == traffic[i]["algorithm"]);
    CHECK(answer["points"].front()["bytes"] == 1024);
    CHECK(answer["points"].back()["bytes"] >= 1073741824);
    CHECK(answer["points"].back()["bytes"] >= answer["message"]["bytes"]);
    for (const json& point : answer["points"]) {
      CHECK(point["low_seconds"] < point["message_seconds"]);
      CHECK(point["message_seconds"] < point["high_seconds"]);
    }
  }
}

TEST_CASE("Eight H100 all-reduce 8 GiB at the bus bandwidth of published nccl-tests") {
  // 480 to 483 GB/s with NVLS: NVIDIA nccl issue 1420 and others, as in collective_test.
  const std::size_t i = place_of(traffic_of(tensor_parallel), "all_reduce", "tensor_parallel");
  const json answer = curve(tensor_parallel, i, {{"sizes", {8589934592.0}}});
  REQUIRE(answer["points"].size() == 1);
  const json& point = answer["points"][0];
  CHECK(point["busbw_bytes_per_second"].get<double>() == Approx(481e9).epsilon(0.05));
  CHECK(point["algorithm"] == "nvls");
  CHECK(answer["ranks"] == 8);
  CHECK(answer["ranks_per_node"] == 8);
}

TEST_CASE("Of the alternatives one is the choice, and none is faster by NCCL's own model") {
  const std::size_t i = place_of(traffic_of(tensor_parallel), "all_reduce", "tensor_parallel");
  const json answer = curve(tensor_parallel, i);
  REQUIRE(answer["alternatives"].size() >= 6);  // tree and ring in three protocols each, at least
  for (std::size_t at = 0; at < answer["points"].size(); ++at) {
    const json& point = answer["points"][at];
    std::size_t chosen = 0;
    for (const json& other : answer["alternatives"]) {
      const double over = other["over_choice"][at];
      CHECK(over >= 1);
      if (over == 1 && other["algorithm"] == point["algorithm"] && other["protocol"] == point["protocol"]) ++chosen;
    }
    CHECK(chosen == 1);
  }
}

TEST_CASE("Messages between stages have a curve, and nothing to choose") {
  const std::size_t i = place_of(traffic_of(tensor_parallel), "send_recv", "pipeline_parallel");
  const json answer = curve(tensor_parallel, i);
  CHECK(answer["ranks"] == 2);
  CHECK(answer["ranks_per_node"] == 1);
  CHECK(answer["alternatives"].empty());
  CHECK(answer["message"]["algorithm"] == "point_to_point");
}

TEST_CASE("What cannot be a curve is said, with what is allowed") {
  CHECK(first_issue(ask({{"command", "curve"}})) ==
        "/scenario: scenario is missing. Expected: an object, or \"handbook:ID\".");
  const auto count = traffic_of(tensor_parallel).size();
  CHECK(first_issue(curve(tensor_parallel, count)) ==
        "/transfer: transfer is " + std::to_string(count) + ", the scenario has " + std::to_string(count) +
            " transfers. Allowed: 0 to " + std::to_string(count - 1) + ".");
  const json one = {
      {"model", "llama-2-7b"}, {"cluster", {{"gpu", "h100-sxm-80gb"}}}, {"training", {{"engine", "single"}}}};
  CHECK(first_issue(curve(one, 0)) == "/transfer: transfer is 0, the scenario has 0 transfers.");
  CHECK(first_issue(curve(tensor_parallel, 0, {{"sizes", json::array()}})).find("/sizes: sizes is ") == 0);
  CHECK(first_issue(curve(tensor_parallel, 0, {{"sizes", {0}}})).find("/sizes/0: ") == 0);
  CHECK(first_issue(curve(tensor_parallel, 0, {{"sizes", {1, "x"}}})).find("/sizes/1: ") == 0);
  CHECK(first_issue(curve(tensor_parallel, 0, {{"size", 1}})).find("/size: ") == 0);
}

TEST_CASE("No operation of a layer beats the peaks of its GPU") {
  const json answer = detail(tensor_parallel);
  const json& roofline = answer["roofline"];
  // NVIDIA H100 datasheet: 989.4 TFLOP/s dense bf16, 3.35 TB/s.
  CHECK(roofline["peak_flops_per_second"].get<double>() == Approx(989.4e12).epsilon(0.001));
  CHECK(roofline["memory_bytes_per_second"].get<double>() == Approx(3.35e12).epsilon(0.001));
  REQUIRE(roofline["parts"].size() == 2);
  CHECK(roofline["parts"][0]["layers"] == 80);
  for (const json& part : roofline["parts"]) {
    for (const json& one : part["operations"]) {
      for (const char* way : {"forward", "backward"}) {
        CAPTURE(one.dump());
        CHECK(one[way]["flops"].get<double>() <=
              1.0001 * one[way]["seconds"].get<double>() * roofline["peak_flops_per_second"].get<double>());
        CHECK(one[way]["bytes"].get<double>() > 0);
      }
    }
  }
}

TEST_CASE("What cannot be detailed is said") {
  CHECK(first_issue(ask({{"command", "detail"}})).find("/scenario: scenario is missing.") == 0);
  CHECK(first_issue(ask({{"command", "detail"}, {"scenario", tensor_parallel}, {"timeline", true}}))
            .find("/timeline: ") == 0);
}
