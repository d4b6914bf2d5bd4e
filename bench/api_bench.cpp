// Time of whole requests through the JSON door: what one key stroke in the page costs, less the drawing.
#include <benchmark/benchmark.h>

#include <string>

#include "core/io/api.hpp"

namespace {

void answer(benchmark::State& state, const std::string& request) {
  if (meshgauge::api(request).find("\"ok\":true") == std::string::npos) return state.SkipWithError("refused");
  std::size_t bytes = 0;
  for (auto _ : state) bytes = meshgauge::api(request).size();
  state.counters["response_bytes"] = static_cast<double>(bytes);
}

const std::string one_gpu =
    R"({"command":"estimate","scenario":{"model":"gpt2-1.5b","cluster":{"gpu":"a100-sxm-80gb","gpus":1}}})";
const std::string three_dimensions =
    R"({"command":"estimate","scenario":{"model":"llama-3.1-405b","cluster":{"system":"dgx-h100","gpus":16384},
        "parallelism":{"tensor_parallel_size":8,"pipeline_parallel_size":16},
        "training":{"engine":"megatron","sequence_length":8192,"global_batch_size":2048}}})";

BENCHMARK_CAPTURE(answer, describe, std::string(R"({"command":"describe"})"));
BENCHMARK_CAPTURE(answer, estimate_one_gpu, one_gpu);
BENCHMARK_CAPTURE(answer, estimate_405b_on_16384_gpus, three_dimensions);

}  // namespace
