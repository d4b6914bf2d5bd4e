// Megatron-LM's --pipeline-model-parallel-layout: which layers stand in which model chunk, as a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshgauge {

struct PipelineLayout {
  std::vector<std::int64_t> layers;  ///< of each chunk in model order
  std::string problem;               ///< why it cannot be read; empty if it can
};

/// "Et*3|(tt|)*6mL": E embedding, t a layer, m multi-token prediction, L head and loss, | ends a chunk, x*n and (...)*n
/// repeat. The embedding stands first; prediction layers and loss stand in the last chunk (the only place that is
/// counted). megatron/core/transformer/pipeline_parallel_layer_layout.py.
[[nodiscard]] PipelineLayout parse_pipeline_layout(std::string_view);

}  // namespace meshgauge
