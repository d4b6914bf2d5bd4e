#include "core/calibrate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/compose/step.hpp"

namespace meshgauge {
namespace {

StepObservation observation_of(const OwnRun& run) { return {run.id, run.scenario, run.measured.step, {}, {}}; }

/// `before`: the profile that the run was compared with; `after`: with what it taught.
RunFeedback feedback_on(const OwnRun& run, const Profile& before, const Profile& after) {
  constexpr double close = 0.02;
  RunFeedback feedback;
  feedback.id = run.id;
  if (run.measured.step) {
    const Seconds predicted = estimate_step(run.scenario, before).seconds;
    const Seconds measured = *run.measured.step;
    feedback.step = {run.id, "step", measured, predicted, estimate_step(run.scenario, after).seconds};
    if (std::fabs(predicted / measured - 1) > close) feedback.terms = explain_step(before, run.scenario, measured);
  }
  feedback.memory = explain_memory(before, run.scenario, run.measured);
  return feedback;
}

/// Steps of the benchmark and own runs by name, each once.
std::vector<StepObservation> once_each(std::vector<StepObservation> steps) {
  const auto key = [](const StepObservation& s) {
    return std::tuple(s.name, s.step.value_or(Seconds{}), s.compute.value_or(Seconds{}),
                      s.communication.value_or(Seconds{}));
  };
  std::sort(steps.begin(), steps.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  steps.erase(std::unique(steps.begin(), steps.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
              steps.end());
  return steps;
}

}  // namespace

Calibration calibrate(const CalibrationInput& input) {
  Calibration result;
  SeriesSet set = series_of(input.runs);
  result.left_out = std::move(set.left_out);
  result.collectives = fit_collectives(input.base, input.cluster, set.series, input.fit_slow);
  Profile profile = result.collectives.profile;
  if (set.series.empty()) profile.measured.collectives = input.base.measured.collectives;
  result.kernels = fit_kernels(profile, input.cluster, input.runs);
  result.steps = fit_steps(result.kernels.profile, once_each(input.steps));
  profile = result.steps.profile;
  const Profile before = profile;
  std::vector<StepObservation> own;
  for (const OwnRun& run : input.own) own.push_back(observation_of(run));
  profile = with_runs(profile, once_each(std::move(own)));
  for (const OwnRun& run : input.own) profile = with_memory(profile, run.scenario, run.measured);
  for (const OwnRun& run : input.own) result.feedback.push_back(feedback_on(run, before, profile));
  result.profile = std::move(profile);
  if (input.steps_without_scenario > 0) {
    result.advice.push_back({"A training log's steps say nothing without their scenario: name it.",
                             "meshgauge calibrate LOG --run SCENARIO.json"});
  }
  for (Advice& advice : advice_on(input.cluster, result.collectives, result.kernels, result.steps)) {
    result.advice.push_back(std::move(advice));
  }
  return result;
}

}  // namespace meshgauge
