// Measurements to a profile, in order: collectives, kernels, then whole steps on top of both.
#pragma once

#include <vector>

#include "core/calibrate/advice.hpp"
#include "core/calibrate/memory.hpp"

namespace meshgauge {

/// A user's own run: what it showed beside its step, and why it may differ.
struct OwnRun {
  std::string id;
  Scenario scenario;
  Measured measured;
};

struct RunFeedback {
  std::string id;
  std::optional<StepComparison> step;
  std::vector<Explanation> terms;  ///< of the step time; empty within two per cent
  std::vector<MemoryComparison> memory;
};

struct CalibrationInput {
  Cluster cluster;
  Profile base;  ///< what is refined: the defaults, or an earlier profile
  std::vector<ImportedRun> runs;
  std::vector<StepObservation> steps;  ///< of the benchmark
  std::vector<OwnRun> own;
  bool fit_slow = false;
  std::int64_t steps_without_scenario = 0;  ///< of training logs
};

struct Calibration {
  Profile profile;
  std::vector<std::string> left_out;
  CollectiveFit collectives;
  KernelFit kernels;
  StepFit steps;
  std::vector<RunFeedback> feedback;
  std::vector<Advice> advice;
};

/// The same measurements give the same profile, in whatever order and however often they are given.
[[nodiscard]] Calibration calibrate(const CalibrationInput&);

}  // namespace meshgauge
