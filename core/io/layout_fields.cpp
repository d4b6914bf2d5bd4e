#include "core/io/layout_fields.hpp"

#include <algorithm>
#include <array>

namespace meshgauge {
namespace {

constexpr auto of_parallelism = std::to_array<std::string_view>(
    {"tensor_parallel_size", "sequence_parallel", "pipeline_parallel_size", "virtual_pipeline_size",
     "pipeline_schedule", "stage_layers", "context_parallel_size", "expert_parallel_size",
     "expert_tensor_parallel_size", "data_parallel_size", "data_parallel_replicate_size", "zero_stage"});
constexpr auto of_training = std::to_array<std::string_view>({"micro_batch_size", "recompute"});

bool has(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

template <class Request, class Chosen>
std::vector<Field<Request>> chosen(std::span<const Field<Request>> fields, Chosen is_chosen) {
  std::vector<Field<Request>> list;
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(list),
               [&](const Field<Request>& field) { return is_chosen(field.text.key); });
  return list;
}

}  // namespace

LayoutFields layout_fields() {
  return {.cluster = chosen(cluster_fields(), [](std::string_view key) { return key == "gpus"; }),
          .parallelism = chosen(parallelism_fields(), [](std::string_view key) { return has(of_parallelism, key); }),
          .training =
              chosen(training_fields(), [](std::string_view key) { return key == "engine" || has(of_training, key); })};
}

bool is_of_layout(std::string_view section, std::string_view key) {
  if (section == "parallelism") return has(of_parallelism, key) || key == "pipeline_layout";
  return section == "training" && has(of_training, key);
}

}  // namespace meshgauge
