// Least squares against systems and constants that are known.
#include "core/calibrate/factors.hpp"

#include <cmath>

#include "core/price/logarithm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/noise.hpp"

namespace meshgauge {

TEST_CASE("A symmetric system is solved, with the diagonal of its inverse") {
  // A = {{4, 2}, {2, 3}}: the inverse is {{3, -2}, {-2, 4}} / 8.
  const Solution solution = solve({4, 2, 2, 3}, {8, 7});
  CHECK(solution.x[0] == Approx(1.25));
  CHECK(solution.x[1] == Approx(1.5));
  CHECK(solution.inverse_diagonal[0] == Approx(3.0 / 8));
  CHECK(solution.inverse_diagonal[1] == Approx(4.0 / 8));
}

TEST_CASE("Factors on latency and bandwidth are found within their uncertainty, whatever single outliers say") {
  testing::Noise noise(3);
  std::vector<double> bytes, measured;
  for (double s = 64; s < 1e9; s *= 2) {
    bytes.push_back(s);
    const double t = 12e-6 * 1.8 + s / (200e9 * 0.7);
    measured.push_back(natural_log(t * (1 + 0.02 * noise.normal())));
  }
  measured[5] += 1.5;
  measured[17] -= 0.8;
  const std::vector<double> priors{1, 1};
  const Factors fit = fit_factors(measured, priors, [&](std::span<const double> logs) {
    std::vector<double> predicted;
    for (const double s : bytes) {
      predicted.push_back(natural_log(12e-6 * exponential(logs[0]) + s / (200e9 * exponential(logs[1]))));
    }
    return predicted;
  });
  CHECK(std::fabs(fit.logs[0] - std::log(1.8)) < 3 * fit.sigmas[0]);
  CHECK(std::fabs(fit.logs[1] - std::log(0.7)) < 3 * fit.sigmas[1]);
  CHECK(fit.sigmas[0] < 0.02);
  CHECK(fit.sigmas[1] < 0.02);
  CHECK(fit.scatter == Approx(0.02).epsilon(0.6));
}

TEST_CASE("A factor that no measurement touches stays at its prior") {
  const std::vector<double> measured{0.1, 0.1, 0.1}, priors{0.5, 0.3};
  const Factors fit =
      fit_factors(measured, priors, [](std::span<const double> logs) { return std::vector<double>(3, logs[0]); });
  CHECK(fit.logs[0] == Approx(0.1).epsilon(0.01));
  CHECK(fit.logs[1] == Approx(0).margin(1e-9));
  CHECK(fit.sigmas[1] == Approx(0.3));
  CHECK(fit.determined(0, 0.5));
  CHECK_FALSE(fit.determined(1, 0.3));
}

}  // namespace meshgauge
