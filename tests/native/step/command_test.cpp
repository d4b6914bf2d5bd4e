// The command `meshgauge-bench step` as users call it, on one rank, and what its figures are made of.
#define MESHGAUGE_EXECUTABLE MESHGAUGE_BENCH
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/io/api.hpp"
#include "native/step/flags.hpp"
#include "native/step/report.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

namespace meshgauge::testing {
namespace {

constexpr const char* small = "step --layers 2 --hidden 64 --vocab 100 --seq 16 --steps 2 ";

TEST_CASE("The step prints its four modes and what it holds beside the prediction") {
  const Outcome outcome = run(small);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  for (const char* word : {"compute", "overlapped", "serial", "tokens/s", "MFU (causal)", "optimizer_moments"}) {
    CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring(word));
  }
}

TEST_CASE("The results of a step hold each line of its memory, as predicted") {
  const Scratch scratch;
  for (const char* strategy : {"ddp", "zero1", "zero2", "zero3"}) {
    INFO(strategy);
    const Outcome outcome = run(std::string(small) + "--accumulation 2 --recompute --strategy " + strategy +
                                " --json " + scratch.path("results.json"));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto results = nlohmann::json::parse(read_file(scratch.path("results.json")));
    const auto& record = results.at("records").at(0);
    CHECK(record.at("kind") == "step");
    CHECK(record.at("strategy") == strategy);
    CHECK(record.at("recompute") == "full");
    CHECK(record.at("median_s") == record.at("modes").at("overlapped").at("median_s"));
    CHECK(record.at("predicted_s").is_null());  // no prediction of time for a CPU
    std::size_t compared = 0;
    for (const auto& line : record.at("memory").at("lines")) {
      if (line.at("category") == "transient" || line.at("predicted_bytes").is_null()) continue;
      INFO(line.dump());
      CHECK(line.at("held_bytes") == line.at("predicted_bytes"));
      ++compared;
    }
    CHECK(compared >= 6);
  }
}

TEST_CASE("A GPU that is named gives a step's predicted times") {
  const Scratch scratch;
  const Outcome outcome = run(std::string(small) + "--gpu a100-sxm-80gb --json " + scratch.path("results.json"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto results = nlohmann::json::parse(read_file(scratch.path("results.json")));
  CHECK(results.at("records").at(0).at("predicted_s").get<double>() > 0);
  CHECK(results.at("records").at(0).at("mfu_causal").get<double>() > 0);
}

TEST_CASE("A profile alone prices a step between processors, and the record's scenario is estimated the same") {
  const Scratch scratch;
  const nlohmann::json profile = {{"matmul_fp32_flops_per_second", 40e9}, {"hbm_bytes_per_second", 5e9}};
  const Outcome outcome = run(std::string(small) + "--profile " + scratch.write("p.json", profile.dump()) + " --json " +
                              scratch.path("results.json"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto record = nlohmann::json::parse(read_file(scratch.path("results.json"))).at("records").at(0);
  const double predicted = record.at("predicted_s").get<double>();
  CHECK(predicted > 0);
  CHECK(record.at("scenario").at("cluster").at("gpu") == "cpu");
  const nlohmann::json request = {{"command", "estimate"}, {"scenario", record.at("scenario")}, {"profile", profile}};
  const auto answer = nlohmann::json::parse(api(request.dump()));
  INFO(answer.dump().substr(0, 500));
  REQUIRE(answer.at("ok") == true);
  CHECK(answer.at("step").at("seconds").get<double>() == Approx(predicted).epsilon(1e-5));
}

TEST_CASE("Attention over shapes is timed, checked and kept") {
  const Scratch scratch;
  const Outcome outcome = run("attention --shapes 1x16x4/2x8,2x7x1x6 --formats fp32,bf16 --budget 0.01 --json " +
                              scratch.path("results.json"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto records = nlohmann::json::parse(read_file(scratch.path("results.json"))).at("records");
  REQUIRE(records.size() == 8);
  CHECK(records[0].at("kv_heads") == 2);
  CHECK(records[0].at("flops") == 2 * 16 * 16 * 4 * 8);  // of 4 s^2 a q the half that the mask leaves
  CHECK(records[1].at("flops") == 5 * 16 * 16 * 4 * 8);
  for (const auto& record : records) CHECK(record.at("wrong") == 0);
}

TEST_CASE("What attention cannot run is said in one line, with status 2") {
  struct Wrong {
    const char *flags, *said;
  };
  for (const Wrong& wrong : {Wrong{"--shapes 1x16x4", "is no shape of attention"},
                             {"--shapes 1x0x4x8", "is no shape of attention"},
                             {"--shapes 1x16x4/3x8", "3 key-value heads do not divide 4"},
                             {"--model llama-3-8b --tp 3", "--tp 3 does not divide 32 attention heads"},
                             {"--model deepseek-v3", "only causal attention"},
                             {"--formats fp8", "Allowed: bf16, fp32"},
                             {"--kernel cudnn", "no cuDNN"}}) {
    INFO(wrong.flags);
    const Outcome outcome = run(std::string("attention ") + wrong.flags);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(wrong.said));
  }
}

std::ptrdiff_t lines_of_program(const std::string& text) {
  std::istringstream lines(text);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.rfind("meshgauge-bench", 0) == 0 ? 1 : 0;
  return count;
}

TEST_CASE("What a step cannot run is said in one line, with status 2") {
  struct Wrong {
    const char *flags, *said;
  };
  for (const Wrong& wrong : {Wrong{"--strategy zero9", "zero9"},
                             {"--hidden 100", "multiples of 64"},
                             {"--seq 4096", "1,024 positions"},
                             {"--model mixtral-8x7b", "it has experts"},
                             {"--model no-such-model", "no-such-model"},
                             {"--micro-batch 0", "--micro-batch"},
                             {"--precision fp8", "fp8"},
                             {"--tp 5", "--tp 5 does not divide 1 rank, 12 attention heads"},
                             {"--tp 0", "--tp"},
                             {"--layrs 2", "--layers"},
                             {"--json /no/such/folder/r.json", "/no/such/folder"}}) {
    INFO(wrong.flags);
    const Outcome outcome = run(std::string("step ") + wrong.flags);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    // Of the program's own: Open MPI has something to say itself where a container hides the processors.
    CHECK(lines_of_program(outcome.err) == 1);
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(wrong.said));
  }
}

TEST_CASE("Overlap efficiency is the share of the shorter part that is hidden") {
  using step::overlap_efficiency;  // overlapped, serial, compute, communication
  CHECK(overlap_efficiency({1.0, 1.4, 1.0, 0.4}) == Approx(1));
  CHECK(overlap_efficiency({1.4, 1.4, 1.0, 0.4}) == Approx(0));
  CHECK(overlap_efficiency({1.2, 1.4, 1.0, 0.4}) == Approx(0.5));
  CHECK_FALSE(overlap_efficiency({1.0, 1.0, 1.0, std::nullopt}).has_value());
}

TEST_CASE("A hidden size that is asked for keeps the model's proportions") {
  step::StepFlags flags;
  flags.model = "llama-3-8b";
  flags.hidden = 1024;
  const ModelShape shape = step::job_of(flags, 2).model;
  CHECK(shape.heads == 8);
  CHECK(shape.kv_heads == 2);
  CHECK(shape.ffn == 3584);  // 14336 / 4
}

}  // namespace
}  // namespace meshgauge::testing
