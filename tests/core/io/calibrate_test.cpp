// The command `calibrate` through the door: a log in, a profile out that estimates take.
#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/noise.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::estimate;
using meshgauge::testing::json;

/// As nccl-tests prints it: eight ranks of one node, `slower` times 20 us + bytes over 130 GB/s of the buffer.
std::string log_of(double slower, int sizes = 20) {
  std::string text =
      "# nThread 1 nGpus 1 minBytes 1024 maxBytes 536870912 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n"
      "#\n# Using devices\n";
  for (int rank = 0; rank < 8; ++rank) {
    text += "#  Rank  " + std::to_string(rank) + " Group  0 Pid  " + std::to_string(100 + rank) +
            " on node-0 device  " + std::to_string(rank) + " [0x07] NVIDIA A100-SXM4-80GB\n";
  }
  text +=
      "#\n#                                                              out-of-place                       in-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
  double bytes = 1024;
  for (int i = 0; i < sizes; ++i, bytes *= 2) {
    const double us = slower * (20 + bytes / 130e3), algbw = bytes / us / 1e3;
    char line[200];
    std::snprintf(line, sizeof line,
                  "%12.0f %12.0f     float     sum      -1 %8.2f %7.2f %7.2f      0 %8.2f %7.2f %7.2f      0\n", bytes,
                  bytes / 4, us, algbw, algbw * 1.75, us, algbw, algbw * 1.75);
    text += line;
  }
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 80\n#\n";
}

json request_of(const std::string& text) {
  return {{"command", "calibrate"}, {"files", json::array({{{"file", "a.log"}, {"text", text}}})}};
}

const json scenario = {{"model", "llama-2-7b"},
                       {"cluster", {{"gpu", "a100-sxm-80gb"}, {"gpus", 8}}},
                       {"parallelism", {{"tensor_parallel_size", 8}}},
                       {"training", {{"engine", "megatron"}}}};

}  // namespace

TEST_CASE("A log becomes a profile that estimates and validation take") {
  const json answer = ask(request_of(log_of(1.2)));
  CAPTURE(answer.dump());
  REQUIRE(answer.at("ok") == true);
  CHECK(answer["files"][0]["tool"] == "nccl-tests");
  const json& curve = answer["collectives"].at(0);
  CHECK(curve["collective"] == "all_reduce");
  CHECK(curve["ranks"] == 8);
  CHECK(curve["verdict"] == "fitted");
  CHECK(curve["after"]["median"].get<double>() < 0.01);
  CHECK(curve["held_out"]["median"].get<double>() < 0.05);
  CHECK(curve["points"].size() == 20);
  const json& profile = answer["profile"];
  CHECK(profile["collectives"][0]["points"].size() == 20);
  CHECK(profile["fitted_from"]["files"][0]["file"] == "a.log");

  const auto step = [&](const json& request) {
    const json reply = ask(request);
    REQUIRE(reply.at("ok") == true);
    return reply["step"]["breakdown"]["tensor_parallel"].get<double>();
  };
  json request = {{"command", "estimate"}, {"scenario", scenario}};
  const double before = step(request);
  request["profile"] = profile;
  CHECK(step(request) != before);
  CHECK(ask(request)["profile"]["name"] == "calibrated");

  const json line = {{"kind", "collective"},
                     {"cluster", {{"gpu", "a100-sxm-80gb"}, {"gpus", 8}}},
                     {"collective", {{"operation", "all_reduce"}, {"bytes", 1048576}, {"ranks", 8}}},
                     {"measured", {{"seconds", 1.2 * (20e-6 + 1048576 / 130e9)}}}};
  const json checked = ask({{"command", "validate"},
                            {"files", json::array({{{"file", "x"}, {"runs", json::array({line})}}})},
                            {"profile", profile}});
  REQUIRE(checked.at("ok") == true);
  CHECK(std::abs(checked["files"][0]["collective_time"]["bias"].get<double>()) < 0.01);
}

TEST_CASE("A profile reads back to the same profile, and the order of files does not matter") {
  json request = request_of(log_of(1.2));
  request["files"].push_back({{"file", "b.log"}, {"text", log_of(1.3, 12)}});
  const json once = ask(request);
  std::swap(request["files"][0], request["files"][1]);
  CHECK(ask(request)["profile"] == once["profile"]);
  request["files"].push_back(request["files"][0]);  // given twice
  json again = ask(request)["profile"], first = once["profile"];
  again.erase("fitted_from");
  first.erase("fitted_from");
  CHECK(again == first);

  // As the base of an empty calibration, the profile comes out as it went in.
  const json refined = ask({{"command", "calibrate"},
                            {"files", json::array()},
                            {"cluster", {{"gpu", "a100-sxm-80gb"}, {"gpus", 8}, {"gpus_per_node", 8}}},
                            {"profile", once["profile"]}});
  REQUIRE(refined.at("ok") == true);
  json out = refined["profile"];
  out.erase("fitted_from");
  CHECK(out.dump() == first.dump());
}

TEST_CASE("Too few sizes keep the defaults and name the next command") {
  const json answer = ask(request_of(log_of(1.2, 3)));
  REQUIRE(answer.at("ok") == true);
  CHECK(answer["collectives"][0]["verdict"] == "too_few_sizes");
  CHECK_FALSE(answer["profile"].contains("collectives"));
  const json& advice = answer["advice"][0];
  CHECK(advice["message"].get<std::string>().find("at least 4") != std::string::npos);
  CHECK(advice["command"].get<std::string>().find("meshgauge-bench all_reduce") != std::string::npos);
}

TEST_CASE("A slow log is flagged, and fitted where that is asked for") {
  json request = request_of(log_of(4));
  CHECK(ask(request)["collectives"][0]["verdict"] == "slow");
  request["fit_slow"] = true;
  CHECK(ask(request)["collectives"][0]["verdict"] == "fitted");
}

TEST_CASE("A run of one's own is explained and corrects itself") {
  const double step = estimate(scenario)["step"]["seconds"].get<double>();
  const json run = {{"id", "mine"}, {"scenario", scenario}, {"measured", {{"step_seconds", 1.1 * step}}}};
  const json answer = ask({{"command", "calibrate"}, {"runs", json::array({run})}});
  CAPTURE(answer.dump());
  REQUIRE(answer.at("ok") == true);
  CHECK(answer["runs"][0]["step"]["terms"].size() > 3);
  CHECK(answer["profile"]["runs"].size() == 1);
  const json corrected = ask({{"command", "estimate"}, {"scenario", scenario}, {"profile", answer["profile"]}});
  CHECK(corrected["step"]["seconds"].get<double>() == Approx(1.1 * step).epsilon(0.001));
}

TEST_CASE("What cannot be calibrated is refused with every reason") {
  const auto says = [](const json& request, const std::string& path, const std::string& part) {
    const json answer = ask(request);
    CAPTURE(answer.dump(), part);
    REQUIRE(answer.at("ok") == false);
    const json& issues = answer["issues"];
    CHECK(std::any_of(issues.begin(), issues.end(), [&](const json& issue) {
      return issue["path"] == path && issue["message"].get<std::string>().find(part) != std::string::npos;
    }));
  };
  says({{"command", "calibrate"}}, "/files", "files is missing");
  says({{"command", "calibrate"}, {"files", 3}}, "/files", "Expected: a list");
  says({{"command", "calibrate"}, {"files", json::array({{{"file", "x"}}})}}, "/files/0/text", "text is missing");
  says({{"command", "calibrate"}, {"files", json::array()}, {"speed", 1}}, "/speed", "speed");
  says({{"command", "calibrate"}, {"files", json::array()}, {"ranks", 0}}, "/ranks", "ranks is 0");
  says({{"command", "calibrate"}, {"files", json::array()}}, "/cluster", "Set cluster.system or cluster.gpu");
  says({{"command", "calibrate"}, {"runs", json::array({{{"scenario", scenario}}})}}, "/runs/0/measured", "missing");
}

TEST_CASE("Collectives and files are named as for import") {
  json request = request_of(log_of(1.2));
  const json answer = ask(request);
  request["files"][0] = {{"name", "a.log"}, {"text", request["files"][0]["text"]}};
  CHECK(ask(request) == answer);
  for (const char* spelling : {"alltoall", "all_to_all", "all_reduce", "sendrecv"}) {
    request["operation"] = spelling;
    INFO(spelling);
    CHECK(ask(request).at("ok") == true);
  }
  request["operation"] = "all_too_all";
  CHECK(ask(request).at("issues").at(0).at("path") == "/operation");
}

TEST_CASE("Lines of runs are refused as validate refuses them, and no more than a hundred") {
  const json good = {{"id", "a"}, {"scenario", scenario}, {"measured", {{"step_seconds", 1.0}}}};
  const std::string lines = good.dump() + "\n{\"id\": \n" + good.dump() + '\n';
  const json answer = ask(request_of(lines));
  REQUIRE(answer.at("ok") == false);
  CHECK(answer["issues"].at(0)["message"].get<std::string>().rfind("a.log: line 2: column", 0) == 0);
  std::string many = good.dump() + '\n';
  for (int i = 0; i < 500; ++i) many += "{\n";
  CHECK(ask(request_of(many)).at("issues").size() <= 101);
}

TEST_CASE("Whatever a file holds there is an answer") {
  meshgauge::testing::Noise noise(21);
  const std::string whole = log_of(1.2, 6);
  for (int i = 0; i < 200; ++i) {
    std::string text = whole.substr(0, static_cast<std::size_t>(noise.uniform() * static_cast<double>(whole.size())));
    for (int change = 0; change < 8 && !text.empty(); ++change) {
      const auto at = static_cast<std::size_t>(noise.uniform() * static_cast<double>(text.size()));
      text[at] = static_cast<char>(32 + noise.uniform() * 94);
    }
    const json answer = ask(request_of(text));
    CHECK(answer.contains("ok"));
  }
  const json scenario_without_steps = {
      {"command", "calibrate"}, {"files", json::array({{{"file", "a.log"}, {"text", whole}}})}, {"scenario", scenario}};
  CHECK(ask(scenario_without_steps).dump().find("no step of a training run") != std::string::npos);
}

TEST_CASE("Tables of a profile are read strictly") {
  const auto refused = [](const json& table, const std::string& part) {
    json request = {{"command", "estimate"}, {"scenario", scenario}, {"profile", table}};
    const json answer = ask(request);
    CAPTURE(answer.dump(), part);
    REQUIRE(answer.at("ok") == false);
    CHECK(answer.dump().find(part) != std::string::npos);
  };
  const json curve = {{"collective", "all_reduce"},
                      {"ranks", 8},
                      {"ranks_per_node", 8},
                      {"spread", 0.1},
                      {"points", json::array({{1024, 1e-5, 2e-5}, {2048, 2e-5, 3e-5}})}};
  json falling = curve, twice = json::array({curve, curve}), many = curve, unknown = curve;
  falling["points"][1][2] = 1e-5;
  many["ranks_per_node"] = 16;
  unknown["colour"] = "red";
  refused({{"collectives", json::array({falling})}}, "does not lie above");
  refused({{"collectives", twice}}, "two curves of all_reduce");
  refused({{"collectives", json::array({many})}}, "ranks_per_node is above ranks");
  refused({{"collectives", json::array({unknown})}}, "colour");
  refused({{"collectives", 5}}, "Expected: a list");
  refused({{"products", json::array({{{"format", "fp32"}, {"m", 0}}})}}, "missing");
  refused({{"runs", json::array({3})}}, "The entry");
  refused({{"fitted_from", 3}}, "fitted_from");
}

TEST_CASE("CPU ranks are priced by their profile alone") {
  json request = {{"command", "estimate"},
                  {"scenario",
                   {{"model", "gpt2-124m"},
                    {"cluster", {{"gpu", "cpu"}, {"gpus", 2}, {"gpus_per_node", 2}}},
                    {"training", {{"engine", "ddp"}, {"precision", "fp32"}, {"sequence_length", 256}}}}},
                  {"profile", {{"name", "my node"}, {"matmul_fp32_flops_per_second", 50e9}}}};
  const auto seconds = [&] {
    const json answer = ask(request);
    CAPTURE(answer.dump());
    REQUIRE(answer.at("ok") == true);
    return answer["step"]["seconds"].get<double>();
  };
  const double fast = seconds();
  request["profile"]["matmul_fp32_flops_per_second"] = 25e9;
  CHECK(seconds() > 1.3 * fast);
}
