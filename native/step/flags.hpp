// What a user says of the step to measure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "native/harness/options.hpp"
#include "native/harness/runtime.hpp"
#include "native/step/scenario.hpp"

namespace meshgauge::step {

struct StepFlags {
  harness::CommonOptions common;
  std::string model = "gpt2-124m", strategy = "ddp", precision = "fp32";
  std::int64_t layers = 0, hidden = 0, vocab = 0, sequence = 0;  ///< 0: the model's own
  std::int64_t micro_batch = 1, accumulation = 1, reduce_bucket = 0;
  std::int64_t tensor = 1;
  bool no_sequence_parallel = false;
  bool recompute = false;
  std::int64_t steps = 0;  ///< timed in each mode; 0: until the median is known
  double budget_seconds = 20;
};

/// The status to end with, if there is nothing more to do.
[[nodiscard]] std::optional<int> read_step_flags(std::span<const std::string> arguments, StepFlags&);
/// Throws BadInput.
[[nodiscard]] Job job_of(const StepFlags&, std::int64_t ranks);

/// Measures, prints and keeps it. The status to end with. Throws BadInput.
[[nodiscard]] int measure_step(harness::Runtime&, const StepFlags&);

}  // namespace meshgauge::step
