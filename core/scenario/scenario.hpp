// A scenario: model, cluster, parallelism, training, run. Resolved: every field holds the value that is computed with.
#pragma once

#include <cstdint>

#include "core/scenario/cluster.hpp"
#include "core/scenario/model_shape.hpp"
#include "core/scenario/parallelism.hpp"
#include "core/scenario/run_plan.hpp"
#include "core/scenario/training.hpp"

namespace meshgauge {

struct Scenario {
  ModelShape model;
  Cluster cluster;
  Parallelism parallelism;
  Training training;
  RunPlan run;

  /// Micro-batches that one data-parallel rank runs before it updates parameters.
  [[nodiscard]] constexpr std::int64_t micro_batches() const {
    return training.global_batch_size / (training.micro_batch_size * parallelism.data);
  }
  /// Tokens of one micro-batch on one rank: s * b / c.
  [[nodiscard]] constexpr double tokens_per_micro_batch() const {
    return static_cast<double>(training.sequence_length) *
           static_cast<double>(training.micro_batch_size * training.sequences_per_sample()) /
           static_cast<double>(parallelism.context);
  }
  [[nodiscard]] constexpr double tokens_per_step() const {
    return static_cast<double>(training.sequence_length) *
           static_cast<double>(training.global_batch_size * training.sequences_per_sample());
  }
  /// Of these, the ones that are no padding: what a run's length and its speed are counted in.
  [[nodiscard]] constexpr double useful_tokens_per_step() const { return tokens_per_step() * training.batch_fill; }
  /// Vocabulary rows as stored: Megatron pads to 128 * t (make-vocab-size-divisible-by), others keep the model's.
  [[nodiscard]] constexpr std::int64_t padded_vocab() const {
    if (!has_megatron_layers(training.engine) || model.vocab == 0) return model.vocab;
    const std::int64_t unit = 128 * parallelism.tensor;
    return (model.vocab + unit - 1) / unit * unit;
  }
};

}  // namespace meshgauge
