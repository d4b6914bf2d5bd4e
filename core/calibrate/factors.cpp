#include "core/calibrate/factors.hpp"

#include <algorithm>
#include <cmath>

#include "core/validate/summary.hpp"

namespace meshgauge {
namespace {

constexpr double difference = 0.01;      // of a factor's logarithm, for derivatives
constexpr double least_scatter = 0.01;   // run to run; also keeps weights finite where a model fits exactly
constexpr double to_deviation = 1.4826;  // median absolute to standard deviation of a normal distribution
constexpr double huber = 1.5;
constexpr int steps = 12;

double scatter_of(const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double r : residuals) sizes.push_back(std::fabs(r));
  return std::max(least_scatter, to_deviation * median(std::move(sizes)));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Solution solve(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return a[i * n + j]; };
  for (std::size_t j = 0; j < n; ++j) {  // a becomes L of A = L L^T, below and on the diagonal
    for (std::size_t k = 0; k < j; ++k) at(j, j) -= at(j, k) * at(j, k);
    at(j, j) = std::sqrt(std::max(at(j, j), 1e-300));
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
      at(i, j) /= at(j, j);
    }
  }
  const auto forward = [&](std::vector<double>& v) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) v[i] -= at(i, k) * v[k];
      v[i] /= at(i, i);
    }
  };
  Solution out;
  for (std::size_t column = 0; column < n; ++column) {  // the inverse is L^-T L^-1
    std::vector<double> unit(n, 0.0);
    unit[column] = 1;
    forward(unit);
    double sum = 0;
    for (const double value : unit) sum += value * value;
    out.inverse_diagonal.push_back(sum);
  }
  forward(b);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= at(k, i) * b[k];
    b[i] /= at(i, i);
  }
  out.x = std::move(b);
  return out;
}

Factors fit_factors(std::span<const double> measured, std::span<const double> priors, const LogModel& model) {
  const std::size_t n = priors.size(), points = measured.size();
  Factors fit{std::vector<double>(n, 0.0), std::vector<double>(priors.begin(), priors.end()), 0};
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> predicted = model(fit.logs);
    std::vector<std::vector<double>> slopes(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> shifted = fit.logs;
      shifted[i] += difference;
      slopes[i] = model(shifted);
      for (std::size_t p = 0; p < points; ++p) slopes[i][p] = (slopes[i][p] - predicted[p]) / difference;
    }
    std::vector<double> residuals(points);
    for (std::size_t p = 0; p < points; ++p) residuals[p] = measured[p] - predicted[p];
    fit.scatter = scatter_of(residuals);
    std::vector<double> normal(n * n, 0.0), right(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      normal[i * n + i] = 1 / (priors[i] * priors[i]);
      right[i] = -fit.logs[i] * normal[i * n + i];
    }
    for (std::size_t p = 0; p < points; ++p) {
      const double size = std::fabs(residuals[p]);
      const double weight = (size > huber * fit.scatter ? huber * fit.scatter / size : 1) / (fit.scatter * fit.scatter);
      for (std::size_t i = 0; i < n; ++i) {
        right[i] += weight * slopes[i][p] * residuals[p];
        for (std::size_t j = 0; j < n; ++j) normal[i * n + j] += weight * slopes[i][p] * slopes[j][p];
      }
    }
    const Solution solution = solve(std::move(normal), std::move(right));
    for (std::size_t i = 0; i < n; ++i) {
      fit.logs[i] += std::clamp(solution.x[i], -1.0, 1.0);  // no step over more than a factor e
      fit.sigmas[i] = std::sqrt(solution.inverse_diagonal[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!fit.determined(i, priors[i])) fit.logs[i] = 0;
  }
  return fit;
}

double median_of_different(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return median(std::move(values));
}

}  // namespace meshgauge
