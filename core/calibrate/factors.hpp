// Factors on a model's constants that bring it nearest to measurements, in the logarithm, with their uncertainty.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "core/validate/summary.hpp"

namespace meshgauge {

/// Natural logarithms of the factors, and one standard deviation of each.
struct Factors {
  std::vector<double> logs, sigmas;
  double scatter = 0;  ///< of the measurements around the result, relative: 1.4826 times the median deviation

  /// Whether the measurements say more of a factor than its prior did. One that they do not determine stays 1.
  [[nodiscard]] bool determined(std::size_t i, double prior) const { return sigmas[i] < 0.7 * prior; }
};

/// Logarithms of what the model predicts of each measurement under given factors.
using LogModel = std::function<std::vector<double>(std::span<const double> log_factors)>;

/// Least squares of `measured` (logarithms) less the model, beside a normal prior of each factor around 1 with
/// `priors` as its deviation. Huber's loss at 1.5 of the scatter, so that single measurements do not decide
/// (Huber 1964); Gauss and Newton's steps with derivatives by differences.
[[nodiscard]] Factors fit_factors(std::span<const double> measured, std::span<const double> priors, const LogModel&);

/// Solves A x = b for a symmetric positive A of n x n, row by row (Cholesky), and gives the diagonal of its inverse.
struct Solution {
  std::vector<double> x, inverse_diagonal;
};
[[nodiscard]] Solution solve(std::vector<double> a, std::vector<double> b);

/// The middle value; 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);
/// The same with equal values counted once: a file that is given twice changes nothing.
[[nodiscard]] double median_of_different(std::vector<double> values);

/// `time`: the member of a measurement that predictions are compared with.
template <class Measured>
[[nodiscard]] ErrorSummary errors_of(const std::vector<Measured>& measured, Seconds Measured::*time,
                                     const std::vector<Seconds>& predicted) {
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    comparisons.push_back({.predicted = predicted[i].value, .measured = (measured[i].*time).value});
  }
  return summarise(comparisons);
}

}  // namespace meshgauge
