// How sure it is that a job fits: a probability from the spread of predicted memory.
#pragma once

#include "core/units.hpp"

namespace meshgauge {

/// The share of a normal distribution below `z`, by Abramowitz and Stegun 26.2.18: off by less than 0.00025, and made
/// of + - * / alone, so it has the same bits everywhere.
[[nodiscard]] constexpr double normal_share_below(double z) {
  const double x = z < 0 ? -z : z;
  const double polynomial = 1 + x * (0.196854 + x * (0.115194 + x * (0.000344 + x * 0.019527)));
  const double fourth = (polynomial * polynomial) * (polynomial * polynomial);
  const double above = 0.5 / fourth;
  return z < 0 ? above : 1 - above;
}

/// Chance that the true use stays within the capacity if it spreads around the prediction by `sigma` (relative).
/// From 0.01 to 0.99: nothing is certain.
[[nodiscard]] constexpr double fit_probability(Bytes predicted, Bytes capacity, double sigma) {
  const double spread = sigma * predicted.value;
  if (spread <= 0) return predicted <= capacity ? 0.99 : 0.01;
  const double share = normal_share_below((capacity.value - predicted.value) / spread);
  return share < 0.01 ? 0.01 : share > 0.99 ? 0.99 : share;
}

/// The most that a job may be predicted to use for it to fit with a chance of `least` or more, from 0.01 to 0.99.
[[nodiscard]] constexpr Bytes room_for(Bytes capacity, double sigma, double least) {
  double fits = 0, too_much = 1024 * capacity.value;
  for (int i = 0; i < 80; ++i) {
    const double middle = fits + (too_much - fits) / 2;
    (fit_probability({middle}, capacity, sigma) >= least ? fits : too_much) = middle;
  }
  return {fits};
}

}  // namespace meshgauge
