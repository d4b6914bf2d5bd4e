// Batch, sequence, number formats and recompute.
#include <array>
#include <span>
#include <vector>

#include "core/count/stage.hpp"
#include "core/resolve/divisors.hpp"
#include "core/resolve/rules.hpp"

namespace meshgauge {
namespace {

void check_batch(const Scenario& s, Findings& findings) {
  if (!findings.known({path::global_batch, path::micro_batch, path::data, path::gpus, path::tensor, path::pipeline,
                       path::context})) {
    return;
  }
  const std::int64_t micro = s.training.micro_batch_size;
  const std::int64_t global = s.training.global_batch_size;
  const std::int64_t unit = micro * s.parallelism.data;
  const double replica = static_cast<double>(s.parallelism.tensor) * static_cast<double>(s.parallelism.pipeline) *
                         static_cast<double>(s.parallelism.context);
  // Replicas that do not fill the cluster are said elsewhere, and their number is a remainder's.
  if (replica * static_cast<double>(s.parallelism.data) < static_cast<double>(s.cluster.gpus)) return;
  if (global > 1000000000 || unit > 1000000000) {
    findings.add(path::global_batch, "global_batch_size would be " + number_text(std::max(global, unit)) +
                                         ". Allowed: up to 1,000,000,000. Set a smaller micro_batch_size.");
  } else if (global % unit != 0) {
    findings.add(path::global_batch, "global_batch_size " + number_text(global) +
                                         " is no multiple of micro_batch_size x DP = " + number_text(micro) + " x " +
                                         number_text(s.parallelism.data) + " = " + number_text(unit) + ". Set " +
                                         number_text((global / unit + 1) * unit) + '.');
  }
}

void check_positions(const Scenario& s, Findings& findings) {
  const ModelShape& m = s.model;
  if (m.position != Position::learned || !findings.known({path::model, path::sequence})) return;
  const std::int64_t positions = m.position_rows > 0 ? m.position_rows : m.max_sequence;
  if (positions == 0 || s.training.sequence_length <= positions) return;
  findings.add(path::sequence, "sequence_length " + number_text(s.training.sequence_length) +
                                   " is beyond the model's " + number_text(positions) +
                                   " learned positions. Allowed: 1 to " + number_text(positions) + ". Set " +
                                   number_text(positions) + '.');
}

/// Formats in which gradients can add up: fp32, or that of the weights that are trained.
std::vector<DataType> gradient_types(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return {DataType::fp32};
    case Precision::fp16:
      return {DataType::fp32, DataType::fp16};
    case Precision::bf16:
    case Precision::fp8:
    case Precision::mxfp8:
    case Precision::nvfp4:
    case Precision::pure_bf16:
      return {DataType::fp32, DataType::bf16};
  }
  return {};
}

void check_gradient_dtype(const Scenario& s, Findings& findings) {
  if (!findings.known({path::gradient_dtype, path::precision})) return;
  std::vector<std::string_view> allowed;
  for (const DataType type : gradient_types(s.training.precision)) {
    if (type == s.training.gradient_dtype) return;
    allowed.push_back(name_of(type));
  }
  findings.add(path::gradient_dtype, "gradient_dtype is " + std::string(name_of(s.training.gradient_dtype)) +
                                         ", and precision is " + std::string(name_of(s.training.precision)) +
                                         ". Allowed: " + list_text(allowed) + '.');
}

/// Layers of the largest model chunk.
std::int64_t largest_chunk(const Scenario& s) {
  std::int64_t largest = 0;
  for (const std::int64_t layers : s.parallelism.stage_layers) largest = std::max(largest, layers);
  if (largest > 0) return largest;
  const std::int64_t chunks = std::max<std::int64_t>(model_chunks(s.parallelism), 1);
  return (s.model.layers + s.model.encoder_layers + chunks - 1) / chunks;
}

void check_recompute(const Scenario& s, Findings& findings) {
  if (s.training.recompute != Recompute::full) return;
  if (!findings.known(
          {path::model, path::recompute, path::pipeline, path::virtual_pipeline, path::stage_layers, path::schedule})) {
    return;
  }
  const std::int64_t layers = largest_chunk(s);
  if (s.training.recompute_layers <= layers) return;
  findings.add("/training/recompute/layers", "layers is " + number_text(s.training.recompute_layers) +
                                                 ", and the largest model chunk has " + number_text(layers) +
                                                 ". Allowed: 1 to " + number_text(layers) + ". Set 1.");
}

}  // namespace

std::span<const Rule> training_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"batch", "the global batch is a multiple of micro-batch x DP", Dimension::micro_batch, check_batch},
      {"positions", "the sequence is within the model's learned positions", Dimension::scenario, check_positions},
      {"gradient_format", "gradients add up in a format that the precision allows", Dimension::scenario,
       check_gradient_dtype},
      {"recompute_layers", "recompute takes no more layers than a chunk has", Dimension::recompute, check_recompute},
  });
  return rules;
}

}  // namespace meshgauge
