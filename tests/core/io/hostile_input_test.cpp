// Input made to break the reader: it ends in bounded time with an answer or with issues, never otherwise.
#include <chrono>
#include <cstdint>
#include <string>

#include "core/io/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::api;
using meshgauge::testing::json;

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

double seconds_of(const std::string& request) {
  const auto start = std::chrono::steady_clock::now();
  CHECK(well_formed(api(request)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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

TEST_CASE("A million brackets are refused at once") {
  CHECK(seconds_of(std::string(1000000, '[')) < 1);
  CHECK(seconds_of(scenario_request(std::string(1000000, '{'))) < 1);
  std::string nested;
  for (int i = 0; i < 1000000; ++i) nested += R"({"a":)";
  CHECK(seconds_of(nested) < 1);
}

TEST_CASE("Documents over the limit are refused before they are parsed") {
  const std::string large(50'000'000, ' ');
  CHECK(seconds_of(large) < 1);
  const json answer = json::parse(api(large));
  CHECK(answer.at("issues").at(0).at("message") ==
        "The document has 50,000,000 bytes. Allowed: up to 4,194,304 (4 MiB).");
}

TEST_CASE("Documents at the limit take time in proportion to their size") {
  const std::size_t size = meshgauge::largest_document - 200;
  std::string keys = "{";
  for (int i = 0; keys.size() < size; ++i) keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  CHECK(seconds_of(keys + "}") < 10);
  CHECK(seconds_of(scenario_request(keys.substr(0, keys.rfind(',')) + "}")) < 10);
  std::string twice = "{\"k\":1";
  while (twice.size() < size) twice += ",\"k\":1";
  CHECK(seconds_of(twice + "}") < 10);
  CHECK(seconds_of(scenario_request(R"({"model":")" + std::string(size - 100, 'a') + "\"}")) < 10);
  CHECK(seconds_of(scenario_request(R"({")" + std::string(size - 100, 'a') + "\":1}")) < 10);
  std::string list = R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100"},"parallelism":{"stage_layers":[1)";
  while (list.size() < size) list += ",1";
  CHECK(seconds_of(scenario_request(list + "]}}")) < 10);
  std::string arrays = "[0";
  while (arrays.size() < size) arrays += ",[]";
  CHECK(seconds_of(arrays + "]") < 10);
}

TEST_CASE("What is quoted of an input is short and safe for a terminal") {
  const std::string response = api(scenario_request(R"({"model":"\u001b[2J\u202e)" + std::string(5000, 'x') + R"("})"));
  CHECK(response.size() < 1000);
  for (const char c : response) CHECK(static_cast<unsigned char>(c) >= 0x20);
}
