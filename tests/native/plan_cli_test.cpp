// The command `plan` as it is typed: report, JSON, shards in files, exit status, refusals.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using meshgauge::testing::Outcome;
using meshgauge::testing::run;
using nlohmann::json;

namespace {

const std::string job = "plan --model llama-2-7b --system dgx-a100-80gb --gpus 8 --engine megatron --global-batch 32";

bool within_80_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 80) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("plan prints the best layouts and the reasons for them in 80 columns") {
  const Outcome outcome = run(job);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(within_80_columns(outcome.out));
  for (const char* words : {"How one gets there", "What binds", "Why the next one is slower", "Time against memory",
                            "What a tenth more would give", "layouts evaluated"}) {
    INFO(words);
    CHECK(outcome.out.find(words) != std::string::npos);
  }
}

TEST_CASE("Shards in files are merged to the plan of one run") {
  const meshgauge::testing::Scratch scratch;
  std::string files;
  for (int i = 0; i < 4; ++i) {
    const Outcome part = run(job + " --shard " + std::to_string(i) + "/4 --json");
    REQUIRE(part.status == 0);
    files += ' ' + scratch.write(std::to_string(i) + ".json", part.out);
  }
  const Outcome merged = run("plan --json --merge" + files);
  const Outcome one = run(job + " --json");
  CHECK(merged.status == 0);
  CHECK(one.status == 0);
  json a = json::parse(merged.out), b = json::parse(one.out);
  a.erase("search");  // how much a bound leaves out depends on what was found before
  b.erase("search");
  CHECK(a == b);
}

TEST_CASE("The parts of many shards are merged, however long they are together") {
  const meshgauge::testing::Scratch scratch;
  const std::string wide = "plan --model llama-3-8b --system dgx-h100 --gpus 64 --seq 4096 --global-batch 64 --top 100";
  std::string files;
  std::size_t bytes = 0;
  for (int i = 0; i < 16; ++i) {
    const Outcome part = run(wide + " --shard " + std::to_string(i) + "/16");
    REQUIRE(part.status == 0);
    bytes += part.out.size();
    files += ' ' + scratch.write(std::to_string(i) + ".json", part.out);
  }
  CHECK(bytes > std::size_t{4} << 20U);  // more than one request may have
  CHECK(json::parse(run("plan --json --merge" + files).out)["plans"] ==
        json::parse(run(wide + " --json").out)["plans"]);
}

TEST_CASE("plan says with its status that nothing fits") {
  const Outcome outcome = run("plan --model llama-2-70b --system dgx-a100-80gb --gpus 4 --engine megatron");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.rfind("No layout fits.", 0) == 0);
  CHECK(within_80_columns(outcome.out));
}

TEST_CASE("solve says how surely its answer fits and what binds, in 80 columns") {
  const std::string asked = "solve --for max-seq --model llama-2-7b --system dgx-a100-80gb --gpus 8 --engine fsdp2";
  const Outcome sure = run(asked), predicted = run(asked + " --fit-probability 50%");
  INFO(sure.out << predicted.out);
  CHECK(sure.status == 0);
  CHECK(within_80_columns(sure.out));
  CHECK(sure.out.find("likely to fit") != std::string::npos);
  CHECK(sure.out.find("on stage 0 in") != std::string::npos);
  const auto longest = [](const Outcome& outcome) {
    const std::string lead = "The longest sequence is ";
    REQUIRE(outcome.out.rfind(lead, 0) == 0);
    return std::stol(outcome.out.substr(lead.size()));
  };
  CHECK(longest(sure) < longest(predicted));
  CHECK(run(asked + " --fit-probability 101%").status == 2);
  CHECK(run(asked + " --fit-probability sure").status == 2);
}

TEST_CASE("plan refuses what it cannot read") {
  CHECK(run("plan --model llama-2-7b --system dgx-a100-80gb --shard 4").status == 2);
  CHECK(run("plan --model llama-2-7b --system dgx-a100-80gb --shard 4/4").status == 2);
  CHECK(run("plan --model llama-2-7b --system dgx-a100-80gb --objective fun").status == 2);
  CHECK(run("plan --model llama-2-7b --system dgx-a100-80gb --top none").status == 2);
  CHECK(run("plan --merge /no/such/file.json").status == 2);
  CHECK(run("plan").status == 2);
}
