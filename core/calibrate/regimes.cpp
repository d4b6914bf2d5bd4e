#include "core/calibrate/regimes.hpp"

#include <algorithm>
#include <cmath>

#include "core/calibrate/factors.hpp"
#include "core/price/logarithm.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t fewest_sizes = 3, most_regimes = 3;

struct Line {
  double latency = 0, cost = 0;  ///< seconds; seconds a byte
  double latency_variance = 0, cost_variance = 0;
  double loss = 0;  ///< sum of robust squared relative errors
};

/// Huber's loss at 5 %.
double loss_of(double relative) {
  constexpr double limit = 0.05;
  const double size = std::fabs(relative);
  return size <= limit ? size * size : limit * (2 * size - limit);
}

/// Weighted least squares of relative errors; neither latency nor cost falls below 0.
Line line_through(std::span<const Sample> samples) {
  constexpr double limit = 0.05;
  Line line;
  std::vector<double> weights(samples.size(), 1.0);
  for (int step = 0; step < 10; ++step) {
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    const double scale = samples.back().bytes;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double t = samples[i].seconds.value, x = samples[i].bytes / scale, w = weights[i] / (t * t);
      s += w;
      sx += w * x;
      sxx += w * x * x;
      sy += w * t;
      sxy += w * x * t;
    }
    const double determinant = s * sxx - sx * sx;
    line.latency = determinant > 0 ? (sxx * sy - sx * sxy) / determinant : 0;
    line.cost = determinant > 0 ? (s * sxy - sx * sy) / determinant : 0;
    if (line.cost < 0) {
      line.cost = 0;
      line.latency = sy / s;
    } else if (line.latency < 0) {
      line.latency = 0;
      line.cost = sxy / sxx;
    }
    line.latency_variance = determinant > 0 ? sxx / determinant : 0;
    line.cost_variance = determinant > 0 ? s / determinant / (scale * scale) : 0;
    line.cost /= scale;
    line.loss = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double error = (line.latency + line.cost * samples[i].bytes) / samples[i].seconds.value - 1;
      line.loss += loss_of(error);
      weights[i] = std::fabs(error) > limit ? limit / std::fabs(error) : 1;
    }
  }
  const double freedom = std::max(1.0, static_cast<double>(samples.size()) - 2);
  const double variance = line.loss / freedom;  // of relative errors
  line.latency_variance *= variance;
  line.cost_variance *= variance;
  return line;
}

struct Division {
  double loss = 0;
  std::vector<std::size_t> starts;
};

/// The best division of the first `end` samples into `parts`.
Division best_division(std::span<const Sample> samples, std::size_t end, std::size_t parts) {
  if (parts == 1) return {line_through(samples.first(end)).loss, {0}};
  Division best{-1, {}};
  for (std::size_t start = fewest_sizes * (parts - 1); start + fewest_sizes <= end; ++start) {
    Division head = best_division(samples, start, parts - 1);
    const double loss = head.loss + line_through(samples.subspan(start, end - start)).loss;
    if (best.loss >= 0 && loss >= best.loss) continue;
    head.starts.push_back(start);
    best = {loss, std::move(head.starts)};
  }
  return best;
}

/// Akaike's criterion with the correction for few points (Hurvich and Tsai 1989); each regime has two parameters and
/// its end.
double criterion(double loss, std::size_t points, std::size_t parts) {
  constexpr double repeatable = 1e-4;  // one per cent, squared: closer fits say nothing
  const auto n = static_cast<double>(points);
  const double k = 3 * static_cast<double>(parts);
  if (n - k - 1 <= 0) return 1e300;
  return n * natural_log(loss / n + repeatable) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

}  // namespace

std::vector<Regime> regimes_of(std::span<const Sample> samples) {
  if (samples.size() < fewest_sizes) return {};
  Division best = best_division(samples, samples.size(), 1);
  double least = criterion(best.loss, samples.size(), 1);
  for (std::size_t parts = 2; parts <= most_regimes && parts * fewest_sizes <= samples.size(); ++parts) {
    Division division = best_division(samples, samples.size(), parts);
    const double value = criterion(division.loss, samples.size(), parts);
    if (value >= least) continue;
    least = value;
    best = std::move(division);
  }
  std::vector<Regime> regimes;
  for (std::size_t i = 0; i < best.starts.size(); ++i) {
    const std::size_t first = best.starts[i], end = i + 1 < best.starts.size() ? best.starts[i + 1] : samples.size();
    const Line line = line_through(samples.subspan(first, end - first));
    Regime regime{.first_bytes = samples[first].bytes,
                  .last_bytes = samples[end - 1].bytes,
                  .latency = {line.latency},
                  .latency_sigma = {std::sqrt(line.latency_variance)}};
    if (line.cost > 0) {
      regime.bandwidth = {1 / line.cost};
      regime.bandwidth_sigma = {std::sqrt(line.cost_variance) / (line.cost * line.cost)};
    }
    regimes.push_back(regime);
  }
  return regimes;
}

}  // namespace meshgauge
