// The command `calibrate` as scripts and people see it.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/program.hpp"

namespace {

using meshgauge::testing::json;
using meshgauge::testing::Outcome;
using meshgauge::testing::run;
using meshgauge::testing::Scratch;

const std::string scenario =
    R"({"model": "llama-2-7b", "cluster": {"system": "dgx-h100", "gpus": 8}, "training": {"engine": "fsdp1"}})";

}  // namespace

TEST_CASE("A run with its numbers is explained on the terminal, and its profile makes the estimate agree") {
  const Scratch scratch;
  const std::string input = scratch.write("run.json", scenario), profile = scratch.path("profile.json");
  const double step = meshgauge::testing::estimate(json::parse(scenario))["step"]["seconds"].get<double>();
  const Outcome outcome = run("calibrate --run " + input + " --step-seconds " + std::to_string(1.2 * step) +
                              " --reserved 60GiB --out " + profile);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 0);
  for (const char* part :
       {"step: measured", "times as long", "could be", "reserved memory: measured 60.00 GiB", "The profile is in "}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  const Outcome again = run("estimate --json --profile " + profile + " " + input);
  CHECK(json::parse(again.out)["step"]["seconds"].get<double>() == Approx(1.2 * step).epsilon(0.01));
}

TEST_CASE("Nothing learned is the answer no") {
  const Scratch scratch;
  const std::string input = scratch.write("empty.log", "nothing that a benchmark prints\n");
  const Outcome outcome = run("calibrate --gpu h100-sxm-80gb " + input);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("not recognised") != std::string::npos);
  CHECK(outcome.out.find("Nothing was learned") != std::string::npos);
}

TEST_CASE("Bad flags of calibrate are all said, with the flag") {
  const auto refused = [](const std::string& arguments, const std::string& says) {
    const Outcome outcome = run("calibrate " + arguments);
    CAPTURE(arguments, outcome.out, outcome.err, says);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(says) != std::string::npos);
  };
  refused("", "Nothing measured is given");
  refused("--step-seconds 3 x.log", "without its scenario");
  refused("/no/such/file", "Cannot read");
  const Scratch scratch;
  const std::string input = scratch.write("run.json", scenario);
  refused("--run " + input + " --step-seconds fast", "--step-seconds");
  refused("--run " + input + " --allocated many", "--allocated");
  refused("--run " + input, "measured");
  refused("--gpu h100x --run " + input + " --step-seconds 1", "--gpu");
}
