// The command `validate` as scripts and people see it.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/program.hpp"

namespace {

using meshgauge::testing::json;
using meshgauge::testing::Outcome;
using meshgauge::testing::run;
using meshgauge::testing::Scratch;

const std::string runs = MESHGAUGE_TEST_DATA "/validate/runs.jsonl";

/// A run whose error is known whatever the prediction: measured as just that.
std::string exact_run() {
  json line = json::parse(R"({"id": "exact", "family": "dense", "scenario": {"model": "llama-2-7b",
    "cluster": {"system": "dgx-h100", "gpus": 8}}})");
  const json estimate = meshgauge::testing::estimate(line["scenario"]);
  line["measured"] = {{"step_seconds", estimate["step"]["seconds"]}};
  return line.dump() + '\n';
}

void check_refused(const std::string& arguments, const std::string& says) {
  const Outcome outcome = run("validate " + arguments);
  CAPTURE(arguments, outcome.out, outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("A validation prints a row for each family, the fits and the reasons of what is skipped") {
  const Outcome outcome = run("validate " + runs);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 0);
  for (const char* part : {"runs.jsonl: 4 runs compared, 3 skipped", "Error of step time", "Error of allocated memory",
                           "Error of device memory", "\nmixture ", "\nall ", "Fits or out of memory", "Skipped: 3",
                           "     1  the layout is not given"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  CHECK(outcome.out.find("7b on 16") == std::string::npos);
}

TEST_CASE("The flag --rows lists every run, the worst first") {
  const std::string out = run("validate --rows " + runs).out;
  const json answer = json::parse(run("validate --json " + runs).out);
  std::vector<std::pair<double, std::string>> errors;
  for (const json& row : answer["files"][0]["rows"]) {
    if (row.contains("step_time")) {
      errors.emplace_back(-std::abs(row["step_time"]["error"].get<double>()), row["id"].get<std::string>());
    }
  }
  REQUIRE(errors.size() == 3);
  std::sort(errors.begin(), errors.end());
  std::size_t last = out.find("Step time ");
  REQUIRE(last != std::string::npos);
  for (const auto& [error, id] : errors) {
    CAPTURE(id, out);
    const std::size_t place = out.find('\n' + id, last);
    REQUIRE(place != std::string::npos);
    last = place;
  }
}

TEST_CASE("The tables of a validation fit eighty columns without colour") {
  for (const std::string& arguments : {"--rows " + runs, runs + ' ' + runs, std::string("--help")}) {
    const Outcome outcome = run("validate " + arguments);
    CAPTURE(arguments);
    CHECK_FALSE(outcome.out.empty());
    CHECK(outcome.out.find('\033') == std::string::npos);
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("Several files are summed up together") {
  const Outcome outcome = run("validate " + runs + ' ' + runs);
  CHECK(outcome.out.find("All files") != std::string::npos);
  const json answer = json::parse(run("validate --json " + runs + ' ' + runs).out);
  CHECK(answer["files"].size() == 2);
  CHECK(answer["overall"]["runs"] == 8);
}

TEST_CASE("Runs come from standard input as well") {
  const Outcome outcome = run("validate --json - <" + runs);
  CHECK(outcome.status == 0);
  json piped = json::parse(outcome.out);
  CHECK(piped["files"][0]["file"] == "-");
  piped["files"][0]["file"] = runs;
  CHECK(piped == json::parse(run("validate --json " + runs).out));
}

TEST_CASE("The answer is no if a median is above what is required, or nothing was compared") {
  const Scratch scratch;
  const std::string good = scratch.write("good.jsonl", exact_run());
  CHECK(run("validate --require 1% " + good).status == 0);
  CHECK(run("validate --require '0.5 %' " + good).err.empty());
  const Outcome bad = run("validate --require 5% " + good + ' ' + runs);
  CHECK(bad.status == 1);
  CHECK(bad.err.find("--require 5.0 %: runs.jsonl: step time ") != std::string::npos);
  CHECK(bad.err.find("good.jsonl") == std::string::npos);
  CHECK(run("validate " + runs).status == 0);
  const Outcome json_answer = run("validate --json --require 5% " + runs);
  CHECK(json_answer.status == 1);
  CHECK(json::parse(json_answer.out)["ok"] == true);
  const std::string nothing = scratch.write("nothing.jsonl", R"({"id": "a", "skipped": "no layout"})");
  CHECK(run("validate " + nothing).status == 0);
  CHECK(run("validate --require 5% " + nothing).status == 1);
}

TEST_CASE("A profile file changes the predictions of a validation") {
  const Scratch scratch;
  const std::string profile = scratch.write("p.json", R"({"fixed_per_step_seconds": 9})");
  const json answer = json::parse(run("validate --json --profile " + profile + ' ' + runs).out);
  for (const json& row : answer["files"][0]["rows"]) {
    if (row.contains("step_time")) CHECK(row["step_time"]["predicted"] > 9);
  }
}

TEST_CASE("Files larger than a document are read line by line") {
  const Scratch scratch;
  std::string text;
  const std::string line = exact_run();
  const std::string comment = R"({"id": "a", "skipped": ")" + std::string(1000, 'x') + "\"}\n";
  while (text.size() < 5000000) text += comment;
  const Outcome outcome = run("validate --json " + scratch.write("long.jsonl", text + line));
  REQUIRE(outcome.status == 0);
  CHECK(json::parse(outcome.out)["files"][0]["runs"] == 1);
}

TEST_CASE("Bad input of a validation is refused with file, line and what is allowed") {
  const Scratch scratch;
  check_refused("", "No file of measured runs is given");
  check_refused("--require 5 " + runs, "--require is \"5\". Allowed: above 0% and up to 1000%");
  check_refused("--require 0% " + runs, "--require is \"0%\"");
  check_refused("--require x% " + runs, "--require is \"x%\"");
  check_refused(scratch.path("none.jsonl"), "No such file");
  check_refused(runs + " --profile " + scratch.path("none.json"), "--profile: Cannot read");
  check_refused(runs + " --profile " + scratch.write("p.json", R"({"hbm": 1})"), "/profile/hbm");
  check_refused(scratch.write("a.jsonl", exact_run() + "{]\n"), "a.jsonl: line 2: column 2");
  check_refused(scratch.write("b.jsonl", R"({"id": "a", "scenario": {}, "measured": {}})"),
                "b.jsonl: line 1: Nothing is");
  check_refused("--frobnicate " + runs, "There is no flag");
  const Outcome refused = run("validate --json " + scratch.write("c.jsonl", "7\n"));
  CHECK(refused.status == 2);
  CHECK(json::parse(refused.out)["ok"] == false);
}
