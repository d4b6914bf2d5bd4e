// `describe` and `catalog`: what forms, help texts and language files are made of.
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::estimate;
using meshgauge::testing::json;

}  // namespace

TEST_CASE("Every field has a path, a type, a default and a help sentence") {
  const json description = ask({{"command", "describe"}});
  REQUIRE(description.at("ok") == true);
  const std::set<std::string> types{"integer", "number", "boolean", "enum", "string", "array", "object"};
  std::set<std::string> paths;
  for (const json& field : description.at("fields")) {
    CAPTURE(field.dump());
    CHECK(paths.insert(field.at("path")).second);
    CHECK(types.count(field.at("type")) == 1);
    CHECK_FALSE(field.at("default").get<std::string>().empty());
    CHECK(field.at("help").get<std::string>().back() == '.');
    if (field.at("type") == "enum") CHECK(field.at("options").size() > 1);
    if (field.at("type") == "integer" && field.at("path") != "/schema_version") {
      CHECK(field.at("min").is_number_integer());
      CHECK(field.at("max") > field.at("min"));
    }
  }
}

TEST_CASE("Every field of a resolved scenario is described") {
  std::set<std::string> paths;
  const json description = ask({{"command", "describe"}});
  for (const json& field : description.at("fields")) paths.insert(field.at("path"));
  const json answer = estimate({{"model", "llama-2-7b"}, {"cluster", {{"system", "dgx-h100"}, {"gpus", 64}}}});
  const json flat = answer.at("scenario").flatten();
  for (const auto& [path, value] : flat.items()) {
    CAPTURE(path);
    CHECK(paths.count(path) == 1);
  }
}

TEST_CASE("Every option of every enumeration is accepted or refused for what it means, not as a word") {
  const json description = ask({{"command", "describe"}});
  for (const json& field : description.at("fields")) {
    if (field.at("type") != "enum" || field.at("path") == "/training/recompute/method") continue;
    for (const json& option : field.at("options")) {
      json scenario = {{"model", "llama-2-7b"}, {"cluster", {{"system", "dgx-h100"}}}};
      scenario[json::json_pointer(field.at("path"))] = option;
      const json answer = ask({{"command", "estimate"}, {"scenario", scenario}, {"explain", false}});
      CAPTURE(field.at("path"), option, answer.dump().substr(0, 300));
      if (answer.at("ok") == true) continue;
      for (const json& issue : answer.at("issues")) {
        CHECK(issue.at("message").get<std::string>().find(" is \"") == std::string::npos);
      }
    }
  }
}

TEST_CASE("Engines tell what they can do") {
  const json description = ask({{"command", "describe"}});
  std::set<std::string> ids;
  for (const json& engine : description.at("engines")) {
    CHECK(ids.insert(engine.at("id")).second);
    const json& stages = engine.at("zero_stages");
    CHECK(std::find(stages.begin(), stages.end(), engine.at("default_zero_stage")) != stages.end());
  }
  CHECK(ids == std::set<std::string>{"single", "dp", "ddp", "fsdp1", "fsdp2", "deepspeed", "megatron", "hf",
                                     "torchtitan", "megatron_deepspeed", "aleph_alpha"});
  CHECK(description.at("phases").size() == 7);
  CHECK(description.at("categories").size() == 8);
  CHECK(description.at("parts").size() == 10);
}

TEST_CASE("Catalog lists hold entries that can be asked for one by one") {
  for (const char* kind : {"models", "gpus", "systems", "handbook"}) {
    const json list = ask({{"command", "catalog"}, {"kind", kind}});
    REQUIRE(list.at("ok") == true);
    REQUIRE(list.at("kind") == kind);
    REQUIRE_FALSE(list.at("entries").empty());
    for (const json& entry : list.at("entries")) {
      CAPTURE(kind, entry.at("id"));
      const json one = ask({{"command", "catalog"}, {"kind", kind}, {"id", entry.at("id")}});
      CHECK(one.at("entry") == entry);
    }
  }
}
