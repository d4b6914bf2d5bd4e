// Measured collectives to a profile: constants of the model refitted for each tier, and a curve for each group.
#pragma once

#include <string>
#include <vector>

#include "core/calibrate/regimes.hpp"
#include "core/calibrate/series.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/cluster.hpp"
#include "core/validate/summary.hpp"

namespace meshgauge {

/// A number of the profile, by its field (core/io/profile_fields.hpp), before and after.
struct FittedParameter {
  std::string field;
  double before = 0, after = 0;
  double sigma = 0;  ///< one standard deviation of `after`, relative
};

enum class CurveVerdict {
  fitted,
  too_few_sizes,  ///< fewer than four
  slow,           ///< at its largest size below half of what the links allow: something is wrong with the machine
  no_better       ///< the default was nearer to the measurements
};
MESHGAUGE_NAMES(CurveVerdict, "fitted", "too_few_sizes", "slow", "no_better");

struct CurveReport {
  Series series;
  CurveVerdict verdict = CurveVerdict::fitted;
  std::vector<Seconds> before, after;  ///< of each sample, when called alone
  std::vector<bool> outlier;           ///< samples that the curve does not follow
  ErrorSummary error_before, error_after;
  ErrorSummary held_out;        ///< of every second size, predicted by a fit on the others; n is 0 for fewer than eight
  double share_of_default = 0;  ///< default over measured time at the largest size
  std::vector<Regime> regimes;
};

struct CollectiveFit {
  Profile profile;
  std::vector<FittedParameter> parameters;
  std::vector<CurveReport> curves;
};

inline constexpr std::size_t fewest_curve_sizes = 4;

/// `slow` series are fitted with the others where the user says that they are as they should be.
[[nodiscard]] CollectiveFit fit_collectives(const Profile& base, const Cluster&, const std::vector<Series>&,
                                            bool fit_slow);

}  // namespace meshgauge
