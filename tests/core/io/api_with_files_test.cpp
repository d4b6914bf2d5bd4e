// Files beside a request: the answer is the one that they would have got inside it, and their length has no limit.
#include "core/io/api_with_files.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/logs.hpp"

namespace {

using meshgauge::api_with_files;
using meshgauge::test::log_text;
using meshgauge::testing::ask;
using meshgauge::testing::json;

json beside(const json& request, const std::string& name, const std::string& text) {
  const meshgauge::NamedText file{name, text};
  return json::parse(api_with_files(request.dump(), {&file, 1}));
}

}  // namespace

TEST_CASE("Files beside a request are imported as those inside it") {
  const std::string log = log_text("nccl-tests-old-columns.txt");
  const json place = {{"gpu", "a100-sxm-80gb"}, {"ranks_per_node", 8}};
  const json inside = ask({{"command", "import"}, {"files", {{{"name", "a.log"}, {"text", log}}}}, {"place", place}});
  REQUIRE(inside["ok"] == true);
  CHECK(beside({{"command", "import"}, {"place", place}}, "a.log", log) == inside);
}

TEST_CASE("Files beside a request are calibrated from as those inside it") {
  const std::string log = log_text("nccl-tests-all-reduce.txt");
  const json inside = ask({{"command", "calibrate"}, {"files", {{{"file", "a.log"}, {"text", log}}}}});
  REQUIRE(inside["ok"] == true);
  CHECK(beside({{"command", "calibrate"}}, "a.log", log) == inside);
}

TEST_CASE("Files beside a request are diagnosed and judged as those inside it") {
  const std::string log = log_text("nccl-tests-all-reduce.txt");
  const json files = {{{"name", "a.log"}, {"text", log}}};
  const json cluster = {{"system", "dgx-h100"}};
  const json judged = ask({{"command", "band"}, {"files", files}, {"cluster", cluster}});
  REQUIRE(judged["ok"] == true);
  CHECK(beside({{"command", "band"}, {"cluster", cluster}}, "a.log", log) == judged);
  const std::string nccl = "a:1:1 [0] NCCL INFO Using network Socket\n";
  const json said = ask({{"command", "diagnose"}, {"text", nccl}});
  REQUIRE(said["ok"] == true);
  CHECK(beside({{"command", "diagnose"}}, "a.log", nccl) == said);
  CHECK(beside({{"command", "diagnose"}, {"scene", 1}}, "a.log", nccl)["issues"][0]["path"] == "/scene");
}

TEST_CASE("A file may be longer than a request, and hold any bytes") {
  std::string log = log_text("nccl-tests-all-reduce.txt");
  log += std::string(5U << 20U, '\xff');
  const json answer = beside({{"command", "import"}}, "a.log", log);
  REQUIRE(answer["ok"] == true);
  CHECK(answer["files"][0]["tool"] == "nccl-tests");
}

TEST_CASE("What is wrong with a request beside files is said, all of it") {
  const json answer = beside({{"command", "estimate"}, {"files", json::array()}}, "a", "");
  CHECK(answer["ok"] == false);
  CHECK(answer["issues"].size() == 2);
  CHECK(beside({{"place", 1}}, "a", "")["issues"][0]["path"] == "/command");
  CHECK(beside({{"command", "import"}, {"places", 1}}, "a", "")["issues"][0]["path"] == "/places");
  CHECK(json::parse(api_with_files("{", {}))["ok"] == false);
  const std::string log = "NVIDIA H100 80GB HBM3\n" + log_text("nccl-tests-all-reduce.txt");
  CHECK(beside({{"command", "band"}, {"cluster", 5}}, "a.log", log)["issues"][0]["path"] == "/cluster");
}
