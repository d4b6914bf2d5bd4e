// The timeline of an answer and the trace file: both tell the same step, and nothing in it happens before its cause.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/program.hpp"

namespace {

using meshgauge::testing::json;
using meshgauge::testing::Outcome;
using meshgauge::testing::read_file;
using meshgauge::testing::run;
using meshgauge::testing::Scratch;

const std::string four_stages =
    "estimate --model llama-2-7b --system dgx-h100 --gpus 16 --engine megatron --tp 2 --pp 4 --global-batch 32 ";

struct Layout {
  const char* flags;
  std::int64_t chunks;
};
const std::vector<Layout> layouts{{"", 1},
                                  {"--schedule gpipe", 1},
                                  {"--schedule zb-h1", 1},
                                  {"--schedule interleaved --vpp 2", 2},
                                  {"--schedule zb-v --vpp 2", 2},
                                  {"--schedule dualpipe", 2}};

/// Chunk and stage that a pass's input comes from; none at the entry.
std::vector<std::pair<int, int>> source(const std::string& flags, int stage, int chunk) {
  const bool folded = flags.find("zb-v") != std::string::npos, both = flags.find("dualpipe") != std::string::npos;
  if (chunk == 1 && (folded || both)) {
    if (stage < 3) return {{stage + 1, 1}};
    if (folded) return {{3, 0}};
    return {};
  }
  if (stage > 0) return {{stage - 1, chunk}};
  if (chunk > 0) return {{3, chunk - 1}};
  return {};
}

}  // namespace

TEST_CASE("A trace is in the Trace Event Format and ends with the step") {
  const Scratch scratch;
  for (const Layout& layout : layouts) {
    CAPTURE(layout.flags);
    const Outcome outcome = run(four_stages + layout.flags + " --json --trace " + scratch.path("trace.json"));
    REQUIRE(outcome.status < 2);
    const json answer = json::parse(outcome.out);
    CHECK_FALSE(answer["step"].contains("timeline"));  // it is in the file
    const json trace = json::parse(read_file(scratch.path("trace.json")));
    const double step = answer["step"]["seconds"].get<double>();
    double end = 0;
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    std::map<std::pair<int, int>, std::string> names;
    for (const json& event : trace["traceEvents"]) {
      REQUIRE(event["pid"].is_number_integer());
      REQUIRE(event["tid"].is_number_integer());
      const std::pair track{event["pid"].get<int>(), event["tid"].get<int>()};
      if (event["ph"] == "M") {
        REQUIRE(event["args"].is_object());
        if (event["name"] == "thread_name") names[track] = event["args"]["name"].get<std::string>();
        continue;
      }
      REQUIRE(event["ph"] == "X");
      CHECK(event["name"].is_string());
      CHECK(event["dur"].get<double>() >= 0);
      tracks[track].push_back({event["ts"].get<double>(), event["ts"].get<double>() + event["dur"].get<double>()});
      end = std::max(end, tracks[track].back().second);
    }
    CHECK(end / 1e6 == Approx(step).epsilon(1e-5));  // the breakdown is printed with six digits
    int stages_that_compute = 0;
    for (auto& [track, spans] : tracks) {
      REQUIRE(names.count(track) == 1);
      stages_that_compute += names[track] == "compute" ? 1 : 0;
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first >= spans[i - 1].second - 1e-4);
    }
    CHECK(stages_that_compute == 4);
  }
}

TEST_CASE("In a timeline each pass waits for what it needs") {
  for (const Layout& layout : layouts) {
    const Outcome outcome = run(four_stages + layout.flags + " --json --timeline");
    CAPTURE(layout.flags);
    const json answer = json::parse(outcome.out);
    REQUIRE(answer["ok"].get<bool>());
    const json& timeline = answer["step"]["timeline"];
    REQUIRE(timeline.size() == 4);
    std::map<std::tuple<int, int, int, bool>, std::pair<double, double>> passes;
    double compute = 0, last = 0;
    for (const json& stage : timeline) {
      for (const json& event : stage["events"]) {
        const auto kind = event["kind"].get<std::string>();
        const double start = event["start"].get<double>(), end = event["end"].get<double>();
        CHECK(start <= end);
        last = std::max(last, end);
        if (kind == "message" || !event.contains("micro_batch")) continue;
        compute += end - start;
        if (kind == "backward_weight") continue;
        passes[{stage["stage"].get<int>(), event["chunk"].get<int>(), event["micro_batch"].get<int>(),
                kind == "forward"}] = {start, end};
      }
    }
    CHECK(last == Approx(answer["step"]["seconds"].get<double>()).epsilon(1e-5));
    CHECK(compute < 4 * last);
    const std::size_t micro_batches = 32 / 2, halves = std::string(layout.flags).find("dualpipe") != std::string::npos;
    CHECK(passes.size() == 2 * 4 * micro_batches * static_cast<std::size_t>(layout.chunks) / (1 + halves));
    for (const auto& [key, span] : passes) {
      const auto& [stage, chunk, micro_batch, forward] = key;
      for (const auto& [from, from_chunk] : source(layout.flags, stage, chunk)) {
        if (forward) {
          CHECK(span.first >= passes.at({from, from_chunk, micro_batch, true}).second);
        } else {
          CHECK(passes.at({from, from_chunk, micro_batch, false}).first >= span.second);
        }
      }
      if (!forward) CHECK(span.first >= passes.at({stage, chunk, micro_batch, true}).second);
    }
  }
}

TEST_CASE("A timeline is given when asked for, and refused when there is too much of it") {
  const json scenario{{"model", "llama-3-8b"},
                      {"cluster", {{"system", "dgx-h100"}, {"gpus", 8}}},
                      {"parallelism", {{"pipeline_parallel_size", 8}}},
                      {"training", {{"engine", "megatron"}, {"global_batch_size", 1000000}}}};
  json request{{"command", "estimate"}, {"scenario", scenario}};
  CHECK_FALSE(meshgauge::testing::ask(request)["step"].contains("timeline"));
  request["timeline"] = true;
  const json refused = meshgauge::testing::ask(request);
  REQUIRE_FALSE(refused["ok"].get<bool>());
  CHECK(refused["issues"][0]["path"] == "/timeline");
  CHECK(refused["issues"][0]["message"].get<std::string>().find("16,000,000 forwards and backwards") !=
        std::string::npos);
  request["timeline"] = "yes";
  CHECK(meshgauge::testing::ask(request)["issues"][0]["path"] == "/timeline");
  CHECK(run("estimate --model gpt2-124m --system dgx-h100 --timeline").status == 2);  // without --json
  const Outcome outcome = run("estimate --model gpt2-124m --system dgx-h100 --trace /nowhere/at/all.json");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("/nowhere/at/all.json") != std::string::npos);
}

TEST_CASE("A job without a pipeline has a timeline too") {
  for (const std::string flags : {"--engine ddp", "--engine fsdp2", "--engine deepspeed --zero 3"}) {
    const Outcome outcome =
        run("estimate --model llama-2-7b --system dgx-h100 --gpus 8 --global-batch 32 --json --timeline " + flags);
    CAPTURE(flags, outcome.out);
    const json answer = json::parse(outcome.out);
    const json& events = answer["step"]["timeline"][0]["events"];
    CHECK(events.back()["end"].get<double>() == Approx(answer["step"]["seconds"].get<double>()).epsilon(1e-5));
    CHECK(events.front()["start"] == 0);
    for (std::size_t i = 1; i < events.size(); ++i) CHECK(events[i]["start"] >= events[i - 1]["end"]);
  }
}
