// What was measured on the machines of a profile, beside what its rates say: tables that correct the model where they
// know better, and fade where they do not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/collective.hpp"
#include "core/price/matmul_format.hpp"
#include "core/price/route.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// `modelled` is the time that the profile's rates give when the collective runs alone.
struct CurvePoint {
  double bytes = 0;
  Seconds modelled{}, measured{};

  friend constexpr bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// One collective in one group. Bytes and modelled times rise from point to point, measured times do not fall.
struct CollectiveCurve {
  Collective collective = Collective::all_reduce;
  std::int64_t ranks = 0, ranks_per_node = 0;
  double spread = 0;  ///< nine of ten measurements were within this of the curve, relative
  std::vector<CurvePoint> points;

  friend bool operator==(const CollectiveCurve&, const CollectiveCurve&) = default;
  [[nodiscard]] Route route() const { return {ranks, ranks_per_node}; }
};

/// A matrix product: its measured time over the modelled one.
struct ProductPoint {
  MatmulFormat format = MatmulFormat::fp32;
  double m = 0, n = 0, k = 0;
  double ratio = 1;

  friend constexpr bool operator==(const ProductPoint&, const ProductPoint&) = default;
};

/// A run whose step took `ratio` times what the rest of the profile says: a correction for runs like it.
struct RunPoint {
  double tokens = 0;      ///< of a micro-batch on one rank
  double hidden = 0;      ///< width of the model
  double parameters = 0;  ///< of one rank
  double ranks = 1;
  double communication = 0;  ///< share of the step that the model shows as exposed communication
  double ratio = 1;

  friend constexpr bool operator==(const RunPoint&, const RunPoint&) = default;
};

struct MeasuredTables {
  std::vector<CollectiveCurve> collectives;  ///< by collective, ranks, ranks a node: each group once
  std::vector<ProductPoint> products;
  std::vector<RunPoint> runs;

  friend bool operator==(const MeasuredTables&, const MeasuredTables&) = default;
};

/// The curve of just this group; nothing if it was not measured. Logarithmic in their number.
[[nodiscard]] const CollectiveCurve* curve_of(const MeasuredTables&, Collective, const Route&);

/// The time on the curve where the model says `modelled`: straight lines between points, so that it rises with the
/// model's and hence with the bytes; the ratio of the outermost point beyond them.
[[nodiscard]] Seconds on_curve(const CollectiveCurve&, Seconds modelled);

/// The same for a group that need not have been measured: half of the correction (in the logarithm) of the nearest
/// measured group of the collective on the same tier, a quarter from twice or half its ranks on. `modelled` otherwise.
[[nodiscard]] Seconds corrected(const MeasuredTables&, Collective, const Route&, Seconds modelled);

/// Measured over modelled time of a product: the mean of the measured ones of its format, each by the fourth power of
/// its nearness in the sides' base-2 logarithms, beside 1 as if measured three octaves away.
[[nodiscard]] double product_ratio(const MeasuredTables&, MatmulFormat, double m, double n, double k);

/// What a step takes over what the rest of the profile says; 1 where no run is near.
[[nodiscard]] double run_ratio(const MeasuredTables&, const RunPoint& like);

}  // namespace meshgauge
