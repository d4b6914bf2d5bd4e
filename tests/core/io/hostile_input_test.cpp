// Input made to break the reader: it ends in bounded time with an answer or with issues, never otherwise.
#include <cstdint>
#include <string>

#include "core/io/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/growth.hpp"

namespace {

using meshgauge::api;
using meshgauge::testing::growth;
using meshgauge::testing::in_proportion;
using meshgauge::testing::json;
using meshgauge::testing::processor_seconds;

const std::string sample =
    R"({"command":"estimate","explain":false,"scenario":{"schema_version":1,"model":"llama-2-7b",)"
    R"("cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":8,"sequence_parallel":true,)"
    R"("pipeline_parallel_size":4,"pipeline_schedule":"1f1b","data_parallel_size":2,"zero_stage":1},)"
    R"("training":{"engine":"megatron","precision":"bf16","sequence_length":4096,"micro_batch_size":1,)"
    R"("global_batch_size":128,"recompute":{"method":"uniform","layers":2},"tokens":1.0e12}}})";

/// What every response is: JSON with "ok", and issues with path and message where it is false.
bool well_formed(const std::string& response) {
  const json answer = json::parse(response, nullptr, false);
  if (!answer.is_object() || !answer.contains("ok")) return false;
  if (answer["ok"] == true) return true;
  if (answer["ok"] != false || !answer["issues"].is_array() || answer["issues"].empty()) return false;
  for (const json& issue : answer["issues"]) {
    if (!issue["path"].is_string() || !issue["message"].is_string() || issue["message"].empty()) return false;
  }
  return true;
}

void check_answer(const std::string& request) { CHECK(well_formed(api(request))); }

/// Knuth's MMIX generator: the same numbers on every machine.
class Random {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33U) % bound);
  }

 private:
  std::uint64_t state_ = 20240229;
};

/// `unit` as often as `size` bytes hold it.
std::string repeated(std::string text, const char* unit, std::size_t size, const char* end) {
  while (text.size() < size) text += unit;
  return text + end;
}

std::string scenario_request(const std::string& scenario) {
  return R"({"command":"estimate","scenario":)" + scenario + "}";
}

}  // namespace

TEST_CASE("The sample that hostile input is made of is accepted") { CHECK(json::parse(api(sample)).at("ok") == true); }

TEST_CASE("A document cut off at any byte is refused") {
  for (std::size_t size = 0; size < sample.size(); ++size) {
    const std::string response = api(sample.substr(0, size));
    CAPTURE(size, response);
    REQUIRE(well_formed(response));
    REQUIRE(json::parse(response).at("ok") == false);
  }
}

TEST_CASE("Documents with random bytes changed, added and removed give an answer or issues") {
  Random random;
  int accepted = 0;
  constexpr int tries = 5000;
  for (int i = 0; i < tries; ++i) {
    std::string text = sample;
    for (std::uint32_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      const auto byte = static_cast<char>(random.below(256));
      switch (random.below(5)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, 1 + random.below(8));
          break;
        case 3:
          text[at] = "0123456789-.eE\"{}[],:"[random.below(21)];
          break;
        default:
          text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), random.below(40)));
      }
      if (text.empty()) text = " ";
    }
    const std::string response = api(text);
    CAPTURE(i, text, response);
    REQUIRE(well_formed(response));
    accepted += json::parse(response).at("ok") == true ? 1 : 0;
  }
  CHECK(accepted > 0);
  CHECK(accepted < tries);
}

TEST_CASE("Values swapped for others of any kind give an answer or issues") {
  const char* const values[] = {"null",
                                "true",
                                "-1",
                                "0",
                                "1",
                                "8",
                                "1.5",
                                "1e300",
                                "1e-300",
                                "\"\"",
                                "\"8\"",
                                "\"none\"",
                                "[]",
                                "[1]",
                                "{}",
                                "{\"a\":1}",
                                "9007199254740993",
                                "-0.0",
                                "1000000"};
  const json request = json::parse(sample);
  const json flat = request.at("scenario").flatten();
  for (const auto& [pointer, ignored] : flat.items()) {
    for (const char* value : values) {
      json changed = request;
      changed["scenario"][json::json_pointer(pointer)] = json::parse(value);
      const std::string response = api(changed.dump());
      CAPTURE(pointer, value, response);
      REQUIRE(well_formed(response));
    }
  }
}

TEST_CASE("A million brackets are refused in time in proportion to their number") {
  const auto of = [](char bracket) { return [bracket](std::size_t size) { return std::string(size, bracket); }; };
  CHECK(growth(1'000'000, of('['), check_answer) < in_proportion);
  CHECK(growth(
            1'000'000, [&](std::size_t size) { return scenario_request(of('{')(size)); }, check_answer) <
        in_proportion);
  CHECK(growth(
            1'000'000, [](std::size_t size) { return repeated("", R"({"a":)", size, ""); }, check_answer) <
        in_proportion);
}

TEST_CASE("Documents over the limit are refused before they are parsed") {
  const std::string large(50'000'000, ' '), small(meshgauge::largest_document, ' ');
  CHECK(processor_seconds([&] { check_answer(large); }) < processor_seconds([&] { check_answer(small); }));
  const json answer = json::parse(api(large));
  CHECK(answer.at("issues").at(0).at("message") ==
        "The document has 50,000,000 bytes. Allowed: up to 4,194,304 (4 MiB).");
}

TEST_CASE("Documents up to the limit take time in proportion to their size") {
  const auto keys = [](std::size_t size) {
    std::string text = "{\"k\":1";
    for (int i = 0; text.size() < size; ++i) text += ",\"k" + std::to_string(i) + "\":1";
    return text + '}';
  };
  const auto twice = [](std::size_t size) { return repeated(R"({"k":1)", R"(,"k":1)", size, "}"); };
  const auto list = [](std::size_t size) {
    return repeated(R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"stage_layers":[1)", ",1",
                    size, "]}}");
  };
  const auto arrays = [](std::size_t size) { return repeated("[0", ",[]", size, "]"); };
  const auto name = [](std::size_t size) { return R"({"model":")" + std::string(size, 'a') + "\"}"; };
  const auto key = [](std::size_t size) { return R"({")" + std::string(size, 'a') + "\":1}"; };
  const auto grows = [](const auto& make) { return growth(meshgauge::largest_document - 200, make, check_answer); };
  const auto grows_as_scenario = [&](const auto& make) {
    return grows([&](std::size_t size) { return scenario_request(make(size)); });
  };
  CHECK(grows(keys) < in_proportion);
  CHECK(grows(twice) < in_proportion);
  CHECK(grows(arrays) < in_proportion);
  CHECK(grows_as_scenario(keys) < in_proportion);
  CHECK(grows_as_scenario(twice) < in_proportion);
  CHECK(grows_as_scenario(list) < in_proportion);
  CHECK(grows_as_scenario(name) < in_proportion);
  CHECK(grows_as_scenario(key) < in_proportion);
}

TEST_CASE("What is quoted of an input is short and safe for a terminal") {
  const std::string response = api(scenario_request(R"({"model":"\u001b[2J\u202e)" + std::string(5000, 'x') + R"("})"));
  CHECK(response.size() < 1000);
  for (const char c : response) CHECK(static_cast<unsigned char>(c) >= 0x20);
}
