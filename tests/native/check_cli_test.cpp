// The command `check` as it is typed: report, JSON, exit status, refusals.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using meshgauge::testing::Outcome;
using meshgauge::testing::run;
using nlohmann::json;

namespace {

bool within_80_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 80) return false;
  }
  return true;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("check calls an impossible claim impossible, with status 1") {
  const Outcome outcome = run("check --params 65e9 --tokens 1.4e12 --gpu a100-sxm-80gb --gpus 128 --days 21");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.err.empty());
  CHECK(within_80_columns(outcome.out));
  CHECK(outcome.out.rfind("Impossible: ", 0) == 0);
  CHECK(says(outcome.out, "7.535 times its dense\npeak of 312"));
  CHECK(says(outcome.out, "arXiv:2302.13971"));
}

TEST_CASE("check takes figures as people write them") {
  const Outcome plain = run("check --params 65e9 --tokens 1.4e12 --gpu a100-sxm-80gb --gpus 128 --days 21 --json");
  const Outcome words = run("check --params 65B --tokens 1.4T --gpu a100-sxm-80gb --gpus 128 --hours 3w --json");
  CHECK(plain.status == 1);
  CHECK(plain.out == words.out);
  CHECK(json::parse(plain.out)["verdict"] == "impossible");
}

TEST_CASE("check ends with 0 for what is possible, 1 for contradictions, 2 for bad input") {
  CHECK(run("check --model llama-3.1-405b --gpu h100-sxm-80gb --gpus 16384 --tflops 400 --seq 8k").status == 0);
  CHECK(run("check --params 7B --gpu h100-sxm-80gb --gpus 8 --tokens-per-second-per-gpu 9k --tflops 40").status == 1);
  const Outcome bad = run("check --params lots --gpu h1000 --gpus 0.5 --mfu 46.2 --day 3");
  INFO(bad.err);
  CHECK(bad.status == 2);
  CHECK(bad.out.empty());
  for (const char* word : {"--params", "--gpu:", "--gpus", "--mfu", "--day"}) CHECK(says(bad.err, word));
  CHECK(run("check").status == 2);
  CHECK(run("check --params 7B").status == 2);
}

TEST_CASE("check explains every figure within 80 columns") {
  for (const char* claim :
       {"--params 65B --tokens 1.4T --gpu a100 --gpus 128 --days 21d --tflops 38 --mfu 12%",
        "--model deepseek-v3 --tokens 14.8T --gpu h800 --gpu-hours 2.788M --precision fp8 --seq 4096",
        "--params 110M --gpu a100-sxm-40gb --gpus 1 --hours 70 --tokens 25.6B --tokens-per-second 10240",
        "--params 175B --tokens 300B --gpu a100 --gpus 1024 --days 34 --tflops 140",
        "--params 7B --tokens 2T --gpus 64 --days 30", "--params 1T --gpu l40s --gpus 8 --mfu 30% --tokens 1T"}) {
    for (const char* explain : {"", " --explain"}) {
      const Outcome outcome = run("check " + std::string(claim) + explain);
      INFO(claim << '\n' << outcome.out << outcome.err);
      CHECK(outcome.status < 2);
      CHECK(within_80_columns(outcome.out));
    }
  }
}
