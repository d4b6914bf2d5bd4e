// Scenarios drawn at random from everything that can be said: each is refused with reasons or answered with finite
// numbers, and what is answered reads back to the same bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::api;
using meshgauge::testing::ask;
using meshgauge::testing::json;

/// Knuth's MMIX generator: the same scenarios on every machine.
class Random {
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % bound;
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_ = 405;
};

std::vector<std::string> ids(const char* kind) {
  std::vector<std::string> list;
  const json answer = ask({{"command", "catalog"}, {"kind", kind}});
  for (const json& entry : answer.at("entries")) list.push_back(entry.at("id"));
  return list;
}

/// Mostly powers of two, so that a good share is legal.
json random_value(const json& field, Random& random) {
  const std::string type = field.at("type");
  if (type == "boolean") return random.one_in(2);
  if (type == "enum") return field.at("options").at(random.below(field.at("options").size()));
  const double max = field.at("max").is_null() ? 8 : field.at("max").get<double>();
  const double min = field.at("min").is_null() ? 0 : field.at("min").get<double>();
  if (random.one_in(40)) return type == "integer" ? json(static_cast<std::int64_t>(max)) : json(max);
  if (random.one_in(40)) return type == "integer" ? json(static_cast<std::int64_t>(min)) : json(min);
  if (type == "integer")
    return std::int64_t{1} << random.below(field.at("path") == "/training/sequence_length" ? 16 : 4);
  double value = min > 0 ? min : 1e-7;
  for (std::size_t i = random.below(12); i > 0; --i) value *= 7;
  return std::min(value, max);
}

bool has_null(const json& value) {
  if (value.is_structured()) {
    for (const json& child : value) {
      if (has_null(child)) return true;
    }
  }
  return value.is_null();
}

}  // namespace

TEST_CASE("Random scenarios are refused with reasons or answered with finite numbers that read back") {
  Random random;
  const std::vector<std::string> models = ids("models"), systems = ids("systems"), gpus = ids("gpus");
  const json fields = ask({{"command", "describe"}}).at("fields");
  int answered = 0;
  constexpr int tries = 1500;
  for (int i = 0; i < tries; ++i) {
    json scenario = {{"model", models[random.below(models.size())]}};
    if (random.one_in(3)) {
      scenario["cluster"]["gpu"] = gpus[random.below(gpus.size())];
    } else {
      scenario["cluster"]["system"] = systems[random.below(systems.size())];
    }
    for (const json& field : fields) {
      const std::string path = field.at("path"), type = field.at("type");
      if (type == "string" || type == "array" || path == "/schema_version" ||
          path.rfind("/training/recompute/", 0) == 0) {
        continue;
      }
      if (random.one_in(7)) scenario[json::json_pointer(path)] = random_value(field, random);
    }
    const std::string request = json{{"command", "estimate"}, {"explain", false}, {"scenario", scenario}}.dump();
    const std::string response = api(request);
    CAPTURE(i, request);
    json answer = json::parse(response);
    if (answer.at("ok") == false) {
      REQUIRE_FALSE(answer.at("issues").empty());
      continue;
    }
    ++answered;
    json again = {{"command", "estimate"}, {"explain", false}, {"scenario", answer.at("scenario")}};
    REQUIRE(api(again.dump()) == response);
    // Null where there is nothing to say: a run without tokens, a GPU without price or TDP, links without NCCL's
    // choice.
    if (answer.at("run").is_null()) answer.erase("run");
    for (const char* key : {"cost", "energy_kwh"}) {
      if (answer.contains("run") && answer["run"].at(key).is_null()) answer["run"].erase(key);
    }
    for (json& transfer : answer.at("traffic")) {
      for (const char* key : {"algorithm", "protocol", "channels"}) {
        if (transfer.at(key).is_null()) transfer.erase(key);
      }
    }
    REQUIRE_FALSE(has_null(answer));
  }
  CHECK(answered > tries / 10);
}
