// The training steps of a results file of meshgauge-bench: each with its scenario, so that it can be predicted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/calibrate/steps.hpp"

namespace meshgauge {

struct StepRecords {
  std::vector<StepObservation> steps;
  std::vector<std::string> notes;  ///< why a record could not be taken
};

/// Nothing of a text that is no results file.
[[nodiscard]] StepRecords read_step_records(std::string_view text);

}  // namespace meshgauge
