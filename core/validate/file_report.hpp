// A file of runs after validation: those compared, and those that could not be, with the reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/validate/comparison.hpp"
#include "core/validate/measured_run.hpp"
#include "core/validate/timing.hpp"

namespace meshgauge {

struct ComparedRun {
  MeasuredRun run;
  std::int64_t line = 0;  ///< from 1
  RunComparison comparison;
  std::vector<Label> labels;  ///< of a collective or kernel
};

struct SkippedRun {
  std::string id;
  std::int64_t line = 0;
  std::string reason;
};

struct FileReport {
  std::string name;
  std::vector<ComparedRun> rows;
  std::vector<SkippedRun> skipped;
};

}  // namespace meshgauge
