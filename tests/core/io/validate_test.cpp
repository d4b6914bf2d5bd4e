// The command `validate` through the door, and the same answer for files that are read line by line.
#include "core/io/validate.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::Issues;
using meshgauge::NamedText;
using meshgauge::testing::ask;
using meshgauge::testing::json;

std::string file_text() {
  std::ostringstream text;
  text << std::ifstream(MESHGAUGE_TEST_DATA "/validate/runs.jsonl", std::ios::binary).rdbuf();
  return text.str();
}

json runs_of(const std::string& text) {
  json runs = json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) runs.push_back(json::parse(line));
  }
  return runs;
}

json validate(const json& runs, const json& more = json::object()) {
  json request{{"command", "validate"}, {"files", json::array({{{"file", "runs"}, {"runs", runs}}})}};
  request.update(more);
  return ask(request);
}

json run_with(const json& patch) {
  json run =
      json::parse(R"({"id": "a", "scenario": {"model": "llama-2-7b", "cluster": {"system": "dgx-h100", "gpus": 8}},
    "measured": {"step_seconds": 2}})");
  run.merge_patch(patch);
  return run;
}

Issues line_issues(const std::string& text) {
  const NamedText file{.name = "some/folder/runs.jsonl", .text = text};
  return meshgauge::validate_lines({&file, 1}, nullptr).issues;
}

const std::string good_line = R"({"scenario": {"model": "llama-2-7b", "cluster": {"gpu": "a100-sxm-80gb"}},
  "measured": {"out_of_memory": true}})";

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void check_refused(const json& patch, const std::string& path, const std::string& says) {
  const json answer = validate(json::array({run_with(patch)}));
  CAPTURE(patch.dump(), answer.dump());
  REQUIRE(answer.at("ok") == false);
  CHECK(std::any_of(answer["issues"].begin(), answer["issues"].end(), [&](const json& issue) {
    return issue["path"] == "/files/0/runs/0" + path &&
           issue["message"].get<std::string>().find(says) != std::string::npos;
  }));
}

}  // namespace

TEST_CASE("A validation compares each run with its estimate") {
  const json run = run_with({{"measured", {{"step_seconds", 2}, {"device_bytes", 50000000000}}}});
  const json answer = validate(json::array({run}));
  REQUIRE(answer.at("ok") == true);
  const json estimate = meshgauge::testing::estimate(run["scenario"]);
  const json& row = answer["files"][0]["rows"][0];
  CHECK(row["id"] == "a");
  CHECK(row["rank"] == "max");
  const double seconds = estimate["step"]["seconds"];
  CHECK(row["step_time"]["predicted"].get<double>() == Approx(seconds).epsilon(1e-5));
  CHECK(row["step_time"]["error"].get<double>() == Approx(seconds / 2 - 1).epsilon(1e-4));
  CHECK(row["step_time"]["low"] == estimate["step"]["low_seconds"]);
  CHECK(row["step_time"]["high"] == estimate["step"]["high_seconds"]);
  CHECK(row["memory"]["device"]["predicted"] == estimate["memory"]["device_bytes"]);
  CHECK(row["memory"]["device"]["low"] == estimate["memory"]["device_low_bytes"]);
  CHECK(row["memory"]["device"]["high"] == estimate["memory"]["device_high_bytes"]);
  CHECK_FALSE(row["memory"].contains("allocated"));
  CHECK(row["fits"]["predicted"] == estimate["fits"]);
  CHECK(row["fits"]["measured"] == true);
}

TEST_CASE("A validation is summed up by file, by family and overall") {
  const json answer = validate(runs_of(file_text()));
  REQUIRE(answer.at("ok") == true);
  const json& file = answer["files"][0];
  CHECK(file["runs"] == 4);
  CHECK(file["rows"].size() == 4);
  CHECK(file["step_time"]["n"] == 3);
  CHECK(file["memory"]["allocated"]["n"] == 2);
  CHECK(file["memory"]["reserved"]["n"] == 1);
  CHECK(file["memory"]["device"]["n"] == 1);
  CHECK(file["memory"]["all"]["n"] == 4);
  CHECK(file["fits"]["n"] == 4);
  CHECK(file["fits"]["right"] == 4);
  CHECK(file["fits"]["out_of_memory"] == 1);
  REQUIRE(file["families"].size() == 2);
  CHECK(file["families"][0]["family"] == "dense");
  CHECK(file["families"][0]["step_time"]["n"] == 2);
  CHECK(file["families"][1]["family"] == "mixture");
  CHECK(file["families"][1]["step_time"]["n"] == 1);
  CHECK(file["families"][1]["memory"]["all"]["n"] == 0);
  CHECK(file["families"][1]["memory"]["all"]["median"].is_null());
  CHECK(answer["overall"]["step_time"] == file["step_time"]);
  CHECK(answer["overall"]["skipped"] == 3);

  double sum = 0;
  for (const json& row : file["rows"]) {
    if (row.contains("step_time")) sum += row["step_time"]["error"].get<double>();
  }
  CHECK(file["step_time"]["bias"].get<double>() == Approx(sum / 3).epsilon(1e-5));
}

TEST_CASE("Runs that cannot be compared are listed with the reason") {
  const json answer = validate(runs_of(file_text()));
  const json& skipped = answer["files"][0]["skipped"];
  REQUIRE(skipped.size() == 3);
  CHECK(skipped[0]["id"] == "odd layout");
  CHECK(skipped[0]["reason"].get<std::string>().find("tensor_parallel_size 3 does not divide") != std::string::npos);
  CHECK(skipped[1]["reason"] == "the layout is not given");
  CHECK(skipped[2]["reason"].get<std::string>().find("no-such-gpu") != std::string::npos);
}

TEST_CASE("Collectives and kernels are compared by what they are") {
  const auto collective = [](const char* id, const char* operation, double bytes, int per_node, double seconds) {
    return json{
        {"id", id},
        {"family", "logs"},
        {"kind", "collective"},
        {"cluster", {{"system", "dgx-h100"}, {"gpus", 16}}},
        {"collective", {{"operation", operation}, {"bytes", bytes}, {"ranks", 8}, {"ranks_per_node", per_node}}},
        {"measured", {{"seconds", seconds}}}};
  };
  json runs{collective("switch", "all_reduce", 8589934592, 8, 0.03125),  // 481 GB/s, NVIDIA DGX H100 logs
            collective("small", "all_reduce", 1024, 8, 17.5e-6), collective("far", "all_gather", 1073741824, 4, 0.006)};
  runs.push_back({{"id", "product"},
                  {"family", "kernels"},
                  {"kind", "kernel"},
                  {"cluster", {{"gpu", "h100-sxm-80gb"}}},
                  {"kernel", {{"op", "gemm"}, {"format", "bf16"}, {"m", 8192}, {"n", 10240}, {"k", 7168}}},
                  {"measured", {{"seconds", 1.67891e-3}}}});  // aiconfigurator, SGLang
  const json answer = validate(runs);
  const json& file = answer["files"][0];
  CHECK(file["skipped"].empty());
  CHECK(file["collective_time"]["n"] == 3);
  CHECK(file["kernel_time"]["n"] == 1);
  CHECK(file["step_time"]["n"] == 0);
  CHECK(file["fits"]["n"] == 0);
  CHECK(file["rows"][0]["collective_time"]["error"].get<double>() == Approx(0).margin(0.05));
  CHECK(file["rows"][3]["kernel_time"]["error"].get<double>() == Approx(0).margin(0.10));
  REQUIRE(file["groups"].contains("size"));
  CHECK(file["groups"]["size"].size() == 2);
  CHECK(file["groups"]["reach"][1]["name"] == "several nodes");
  CHECK(file["groups"]["operation"][2]["name"] == "gemm bf16");
  CHECK(file["median_family"]["collective_time"]["families"] == 1);
  CHECK(file["median_family"]["kernel_time"]["families"] == 1);

  json floored = runs[1];
  floored["measured"]["floor_seconds"] = 35e-6;  // one process that drives all GPUs
  CHECK(validate(json::array({floored}))["files"][0]["rows"][0]["collective_time"]["predicted"].get<double>() > 35e-6);
}

TEST_CASE("Every mistake in a collective or a kernel is named") {
  const auto refused = [](const char* part, const json& value, const char* path, const char* word) {
    json run = {{"id", "x"},
                {"kind", std::string(part) == "kernel" ? "kernel" : "collective"},
                {"cluster", {{"system", "dgx-h100"}}},
                {"collective", {{"operation", "all_reduce"}, {"bytes", 1024}, {"ranks", 8}}},
                {"kernel", {{"op", "gemm"}, {"m", 8}, {"n", 8}, {"k", 8}}},
                {"measured", {{"seconds", 1}}}};
    run[part].update(value);
    const json issues = ask({{"command", "validate"}, {"files", {{{"file", "f"}, {"runs", {run}}}}}})["issues"];
    INFO(issues.dump());
    REQUIRE(issues.is_array());
    CHECK(issues.dump().find(path) != std::string::npos);
    CHECK(issues.dump().find(word) != std::string::npos);
  };
  refused("collective", {{"operation", "all_dance"}}, "/collective/operation", "reduce_scatter");
  refused("collective", {{"bytes", -1}}, "/collective/bytes", "Allowed: 0 to");
  refused("collective", {{"ranks", 1}}, "/collective/ranks", "Allowed: 2 to");
  refused("collective", {{"rank", 1}}, "/collective/rank", "Did you mean");
  refused("measured", {{"seconds", 0}}, "/measured/seconds", "Allowed");
  refused("kernel", {{"op", "fft"}}, "/kernel/op", "attention_forward");
  refused("kernel", {{"op", "attention_forward"}}, "/kernel/heads", "The line needs it.");
  refused("kernel", {{"format", "int4"}}, "/kernel/format", "fp8");
}

TEST_CASE("A file read line by line gets the answer of a request") {
  const std::string text = file_text();
  json runs = runs_of(text);
  const NamedText file{.name = "runs", .text = text};
  const auto answer = meshgauge::validate_lines({&file, 1}, nullptr);
  REQUIRE(answer.ok());
  json lines = json::parse(answer.value->dump());
  json request = validate(runs);
  // A file has blank lines, a list has none.
  for (json* each : {&lines, &request}) {
    for (const char* list : {"rows", "skipped"}) {
      for (json& row : (*each)["files"][0][list]) row.erase("line");
    }
  }
  CHECK(lines == request);
}

TEST_CASE("Lines are counted as editors count them") {
  const std::string text = "\r\n" + one_line(good_line) + "\r\n\n" + one_line(good_line);
  const NamedText file{.name = "runs", .text = text};
  const auto answer = meshgauge::validate_lines({&file, 1}, nullptr);
  REQUIRE(answer.ok());
  const json rows = json::parse(answer.value->dump())["files"][0]["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["line"] == 2);
  CHECK(rows[1]["line"] == 4);
  CHECK(rows[1]["id"] == "#4");
}

TEST_CASE("Runs without a family are summed up by their source") {
  const json answer = validate(json::array({run_with({{"source", "table 5"}})}));
  CHECK(answer["files"][0]["families"][0]["family"] == "table 5");
}

TEST_CASE("A run that holds something else than a run is refused with what is allowed") {
  check_refused({{"measured", {{"step_seconds", nullptr}}}}, "/measured",
                "Nothing is measured. Allowed: any of step_seconds");
  check_refused({{"measured", {{"step_seconds", nullptr}, {"rank", "last"}}}}, "/measured", "Nothing is measured");
  check_refused({{"measured", nullptr}}, "/measured", "measured is missing");
  check_refused({{"scenario", nullptr}}, "/scenario", "scenario is missing");
  check_refused({{"scenario", "x"}}, "/scenario", "Expected: an object");
  check_refused({{"measured", {{"step_second", 1}}}}, "/measured/step_second", "Did you mean \"step_seconds\"?");
  check_refused({{"scenaro", 1}}, "/scenaro", "Did you mean \"scenario\"?");
  check_refused({{"measured", {{"step_seconds", 0}}}}, "/measured/step_seconds", "Allowed: ");
  check_refused({{"measured", {{"step_seconds", -1}}}}, "/measured/step_seconds", "step_seconds is -1");
  check_refused({{"measured", {{"step_seconds", "2"}}}}, "/measured/step_seconds", "Write 2 without quotes.");
  check_refused({{"measured", {{"device_bytes", 1e300}}}}, "/measured/device_bytes", "device_bytes is 1e+300");
  check_refused({{"measured", {{"out_of_memory", 1}}}}, "/measured/out_of_memory", "true or false");
  check_refused({{"measured", {{"rank", "middle"}}}}, "/measured/rank", "last, first, max");
  check_refused({{"kind", "song"}}, "/kind", "run, collective, kernel");
  check_refused({{"skipped", ""}}, "/skipped", "Say why");
  check_refused({{"id", 7}}, "/id", "Expected: a string");
}

TEST_CASE("A request that lacks its files or has others is refused") {
  const auto message = [](const json& request) { return ask(request).at("issues")[0]["message"].get<std::string>(); };
  CHECK(message({{"command", "validate"}}) == "files is missing. Expected: a list of objects with file and runs.");
  CHECK(message({{"command", "validate"}, {"files", 1}}).rfind("files is 1", 0) == 0);
  CHECK(message({{"command", "validate"}, {"files", {1}}}).rfind("The file is 1", 0) == 0);
  CHECK(message({{"command", "validate"}, {"files", {{{"file", "a"}}}}}).rfind("runs is missing", 0) == 0);
  CHECK(message({{"command", "validate"}, {"files", json::array()}, {"fils", 1}}).rfind("There is no field", 0) == 0);
  CHECK(ask({{"command", "validate"}, {"files", json::array()}}).at("overall").at("runs") == 0);
}

TEST_CASE("A profile changes predictions, and a wrong one is refused once") {
  const json run = run_with(json::object());
  const json slow = validate(json::array({run}), json::parse(R"({"profile": {"fixed_per_step_seconds": 5}})"));
  CAPTURE(slow.dump());
  REQUIRE(slow.at("ok") == true);
  CHECK(slow["files"][0]["rows"][0]["step_time"]["predicted"] > 5);
  const json refused = validate(json::array({run, run}), json::parse(R"({"profile": {"fixed_per_step": 5}})"));
  REQUIRE(refused.at("ok") == false);
  CHECK(refused["issues"].size() == 1);
  CHECK(refused["issues"][0]["path"] == "/profile/fixed_per_step");
}

TEST_CASE("A bad line is named by file and line") {
  const Issues issues = line_issues(one_line(good_line) + "\n\n{\"id\": 'x'}\n[1]\n{\"id\":\"a\",\"id\":\"b\"}\n");
  REQUIRE(issues.size() == 3);
  CHECK(issues[0].message.rfind("runs.jsonl: line 3: column 8: met \"'\"", 0) == 0);
  CHECK(issues[1].message.rfind("runs.jsonl: line 4: The run is a list of 1", 0) == 0);
  CHECK(issues[2].message == "runs.jsonl: line 5: \"id\" is given twice. Keep one.");
}

TEST_CASE("A long file of something else is given up early") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "a,b,c\n";
  const Issues issues = line_issues(text);
  CHECK(issues.size() >= 10);
  CHECK(issues.size() <= 101);
}
