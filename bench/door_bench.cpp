// Time of whole requests through the JSON door, those of bench/requests.json: what a key stroke or a search costs, less
// the drawing. bench/wasm.mjs asks the same of the WASM module.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/allocations.hpp"
#include "core/io/api.hpp"

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const std::string& path) {
  std::ifstream file(MESHGAUGE_SOURCE_DIR "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void answer(benchmark::State& state, const std::string& request) {
  std::string response = meshgauge::api(request);
  if (response.find("\"ok\":true") == std::string::npos) return state.SkipWithError(response.c_str());
  const std::size_t before = allocations;
  for (auto _ : state) response = meshgauge::api(request);
  state.counters["allocations"] = static_cast<double>(allocations - before) / static_cast<double>(state.iterations());
  state.counters["response_bytes"] = static_cast<double>(response.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (Json& entry : Json::parse(text_of("bench/requests.json"))) {
    Json& request = entry["request"];
    if (request.contains("files")) {
      for (Json& file : request["files"]) {
        const auto path = file.get<std::string>();
        file = {{"name", path}, {"text", text_of(path)}};
      }
    }
    benchmark::RegisterBenchmark(entry["name"].get<std::string>().c_str(), answer, request.dump())
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
