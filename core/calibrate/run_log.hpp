// What the log of a training run says of its step and memory, all lines together.
#pragma once

#include <vector>

#include "core/calibrate/measurement.hpp"
#include "core/scenario/scenario.hpp"
#include "core/validate/measured_run.hpp"

namespace meshgauge {

/// Steps of a log: the median time of those after the first tenth, which compiles and warms up; the highest memory.
/// Without times, what tokens per second make of the scenario's tokens. Empty where the runs hold no steps.
[[nodiscard]] Measured measured_by(const std::vector<ImportedRun>&, const Scenario&);

/// Steps that the runs hold; those of the benchmark are none: their records say what they are.
[[nodiscard]] std::int64_t steps_in(const std::vector<ImportedRun>&);

}  // namespace meshgauge
