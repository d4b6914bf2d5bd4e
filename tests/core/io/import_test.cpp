// The command `import` at the door, and files of JSON.
#include "core/io/import.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/logs.hpp"

using meshgauge::import_text;
using meshgauge::Imported;
using namespace meshgauge::testing;
using namespace meshgauge::test;

TEST_CASE("import answers with runs, questions and what was not read") {
  const json answer =
      ask({{"command", "import"}, {"files", {{{"name", "a.log"}, {"text", log_text("nccl-tests-torn-rows.txt")}}}}});
  REQUIRE(answer.at("ok") == true);
  const json& file = answer.at("files").at(0);
  CHECK(file.at("name") == "a.log");
  CHECK(file.at("tool") == "nccl-tests");
  const json& run = file.at("runs").at(0);
  CHECK(run.at("place").at("ranks") == 16);
  CHECK(run.at("questions") == json({"gpu", "ranks_per_node"}));
  CHECK(run.at("measurements").size() == 6);
  CHECK(run.at("measurements").at(2) == json({{"line", 5},
                                              {"kind", "collective"},
                                              {"operation", "all_reduce"},
                                              {"bytes", 2097152},
                                              {"seconds", 6.4e-05},
                                              {"type", "float"},
                                              {"in_place", false}}));
}

TEST_CASE("Answers to its questions complete what a file does not say") {
  const json answer = ask({{"command", "import"},
                           {"files", {{{"name", "a.log"}, {"text", log_text("nccl-tests-torn-rows.txt")}}}},
                           {"place", {{"gpu", "NVIDIA H100"}, {"ranks", 99}, {"ranks_per_node", 8}}}});
  const json& run = answer.at("files").at(0).at("runs").at(0);
  CHECK(run.at("place") ==
        json({{"gpu", "NVIDIA H100"}, {"ranks", 16}, {"ranks_per_node", 8}}));  // the file's word counts more
  CHECK(run.at("questions").empty());
}

TEST_CASE("Everything that is wrong with a request for import is said at once") {
  const json answer = ask({{"command", "import"},
                           {"files", {{{"name", "a"}}}},
                           {"place", {{"ranks", 0}, {"operation", "dance"}, {"colour", "red"}}}});
  CHECK(answer.at("ok") == false);
  CHECK(answer.at("issues").size() == 4);
}

TEST_CASE("JSON of nccl-tests is read like its text") {
  const Imported imported = import_text(log_text("nccl-tests.json"));
  CHECK(imported.tool == "nccl-tests-json");
  REQUIRE(imported.runs.size() == 1);
  const auto rows = collectives_of(imported.runs[0]);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].operation == "all_gather");
  CHECK(rows[0].bytes == 1024);
  CHECK(rows[0].seconds.value == 12.5 / 1e6);
  CHECK(rows[1].wrong == 2);
  CHECK(rows[1].place.ranks == 2);
  CHECK(rows[1].place.library == "NCCL 2.29.3");
}

TEST_CASE("Results of meshgauge-bench keep groups, kernels, copies and steps apart") {
  const Imported imported = import_text(log_text("bench-results.json"));
  CHECK(imported.tool == "meshgauge-bench");
  REQUIRE(imported.runs.size() == 1);
  const meshgauge::ImportedRun& run = imported.runs[0];
  REQUIRE(run.measurements.size() == 4);
  const auto collective = collectives_of(run).at(0);
  CHECK(collective.collective == meshgauge::Collective::all_to_all);
  CHECK(collective.place.ranks == 2);
  CHECK(collective.place.cpu);
  CHECK(collective.concurrent == 2);
  CHECK(collective.low.value == 4.5e-6);
  const auto kernels = measured<meshgauge::MeasuredKernel>(run);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].call.m == 512);
  CHECK(kernels[1].call.bytes == 2097152);
  const auto step = measured<meshgauge::MeasuredStep>(run).at(0);
  CHECK(step.tokens_per_second_per_gpu == 512);
  CHECK(step.place.ranks == 4);
  REQUIRE(imported.unread.size() == 1);
  CHECK(imported.unread[0].line == 5);
}

TEST_CASE("JSON of nobody is said to be so") {
  const Imported imported = import_text("{\"a\": 1}");
  CHECK(imported.tool.empty());
  REQUIRE(imported.unread.size() == 1);
  CHECK(imported.unread[0].reason == "JSON of no tool that is known.");
}
