// Whole steps that were measured: constants of a profile fitted on many, the terms that could explain one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/collectives.hpp"
#include "core/count/memory_kinds.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// One run. The benchmark measures the same step without collectives and without kernels as well.
struct StepObservation {
  std::string name;
  Scenario scenario;
  std::optional<Seconds> step, compute, communication;
};

struct StepComparison {
  std::string name;
  std::string what;  ///< "step", "compute" or "communication"
  Seconds measured{}, before{}, after{};
};

struct StepFit {
  Profile profile;
  std::vector<FittedParameter> parameters;
  std::vector<StepComparison> comparisons;
  ErrorSummary error_before, error_after;
  bool fitted = false;  ///< false: too few runs, or the profile was nearer before
};

/// Different runs that a fit of constants needs; fewer are kept as points of their own.
inline constexpr std::size_t fewest_steps = 4;

/// Speeds of products, attention, passes, loss, optimizer and collectives in steps, and what each step and launch costs
/// beside, each beside a prior around what the profile says.
[[nodiscard]] StepFit fit_steps(const Profile&, const std::vector<StepObservation>&);

/// The profile with a point for each run that it does not yet predict: what is near follows.
[[nodiscard]] Profile with_runs(const Profile&, const std::vector<StepObservation>&);

/// A part of the model that could be why a run differs, if it alone were off.
struct Explanation {
  std::string field;  ///< of the profile
  std::string term;   ///< in words
  double factor = 1;  ///< that its speed or time would have to change by; above 1: slower than the profile says
  double plausible_low = 1, plausible_high = 1;  ///< factors that are seen from machine to machine
  bool enough = true;  ///< false: even twenty times as much does not explain it; `factor` is where it ends
  double share = 0;    ///< of the predicted step that it moves

  [[nodiscard]] constexpr bool plausible() const {
    return enough && plausible_low <= factor && factor <= plausible_high;
  }
};

/// Terms by how little each would have to be off, over what is usual.
[[nodiscard]] std::vector<Explanation> explain_step(const Profile&, const Scenario&, Seconds measured);

}  // namespace meshgauge
