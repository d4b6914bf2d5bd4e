#include "core/price/measured.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/price/logarithm.hpp"

namespace meshgauge {
namespace {

auto key_of(const CollectiveCurve& curve) { return std::tuple(curve.collective, curve.ranks, curve.ranks_per_node); }

/// Octaves between two sizes.
double octaves(double a, double b) { return a > 0 && b > 0 ? log2_of(a) - log2_of(b) : 0; }

const CollectiveCurve* nearest(const MeasuredTables& tables, Collective op, const Route& route, double& distance) {
  const CollectiveCurve* best = nullptr;
  for (const CollectiveCurve& curve : tables.collectives) {
    if (curve.collective != op || curve.route().spans_nodes() != route.spans_nodes()) continue;
    const auto size = [](std::int64_t n) { return static_cast<double>(n); };
    const double away = std::fabs(octaves(size(curve.ranks), size(route.size))) +
                        std::fabs(octaves(size(curve.route().nodes()), size(route.nodes())));
    if (best != nullptr && away >= distance) continue;
    best = &curve;
    distance = away;
  }
  return best;
}

}  // namespace

const CollectiveCurve* curve_of(const MeasuredTables& tables, Collective op, const Route& route) {
  const auto key = std::tuple(op, route.size, route.in_node());
  const auto at = std::lower_bound(tables.collectives.begin(), tables.collectives.end(), key,
                                   [](const CollectiveCurve& curve, const auto& k) { return key_of(curve) < k; });
  return at != tables.collectives.end() && key_of(*at) == key ? &*at : nullptr;
}

Seconds on_curve(const CollectiveCurve& curve, Seconds modelled) {
  const auto& points = curve.points;
  if (points.empty()) return modelled;
  const auto scaled = [&](const CurvePoint& p) { return Seconds{modelled.value * (p.measured / p.modelled)}; };
  if (modelled <= points.front().modelled) return scaled(points.front());
  if (modelled >= points.back().modelled) return scaled(points.back());
  const auto above = std::upper_bound(points.begin(), points.end(), modelled,
                                      [](Seconds t, const CurvePoint& p) { return t < p.modelled; });
  const CurvePoint &a = *(above - 1), &b = *above;
  return a.measured + (modelled - a.modelled) / (b.modelled - a.modelled) * (b.measured - a.measured);
}

Seconds corrected(const MeasuredTables& tables, Collective op, const Route& route, Seconds modelled) {
  if (tables.collectives.empty() || modelled.value <= 0) return modelled;
  if (const CollectiveCurve* curve = curve_of(tables, op, route)) return on_curve(*curve, modelled);
  double distance = 0;
  const CollectiveCurve* curve = nearest(tables, op, route, distance);
  if (curve == nullptr) return modelled;
  const double half = std::sqrt(on_curve(*curve, modelled) / modelled);
  return {modelled.value * (distance < 1 ? half : std::sqrt(half))};
}

double product_ratio(const MeasuredTables& tables, MatmulFormat format, double m, double n, double k) {
  constexpr double far = 3, close = 0.1;  // octaves; the latter only keeps the weight finite
  const auto weight = [](double squared) { return 1 / (squared * squared); };
  double weights = weight(far * far), sum = weights;
  for (const ProductPoint& p : tables.products) {
    if (p.format != format) continue;
    const double dm = octaves(m, p.m), dn = octaves(n, p.n), dk = octaves(k, p.k);
    const double w = weight(dm * dm + dn * dn + dk * dk + close * close);
    weights += w;
    sum += w * p.ratio;
  }
  return sum / weights;
}

double run_ratio(const MeasuredTables& tables, const RunPoint& like) {
  double weights = 1, sum = 1;  // 1 as if measured one octave away
  for (const RunPoint& p : tables.runs) {
    const double tokens = octaves(like.tokens, p.tokens), hidden = octaves(like.hidden, p.hidden),
                 parameters = octaves(like.parameters, p.parameters), ranks = octaves(like.ranks, p.ranks);
    const double part = (like.communication - p.communication) / 0.2;  // a fifth of the step is as far as an octave
    const double squared = tokens * tokens + hidden * hidden + parameters * parameters + ranks * ranks + part * part;
    const double w = 1 / (squared * squared + 1e-4);
    weights += w;
    sum += w * p.ratio;
  }
  return sum / weights;
}

}  // namespace meshgauge
