// Medians, percentiles, and when there are samples enough.
#include "native/harness/sampler.hpp"

#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace meshgauge::harness;

TEST_CASE("Percentiles by linear interpolation, as numpy.percentile gives them") {
  const Summary s = summary_of({5, 1, 4, 2, 3, 10, 9, 8, 7, 6});
  CHECK(s.samples == 10);
  CHECK(s.median == Approx(5.5));
  CHECK(s.p5 == Approx(1.45));
  CHECK(s.p95 == Approx(9.55));
  CHECK(summary_of({2}).p95 == 2);
  CHECK(summary_of({}).samples == 0);
}

TEST_CASE("Too few samples are never certain, equal ones are") {
  CHECK(std::isinf(median_uncertainty({1, 1, 1, 1, 1})));
  CHECK(median_uncertainty({1, 1, 1, 1, 1, 1}) == 0);
}

TEST_CASE("The interval holds the true median in 95 of 100 cases") {
  std::mt19937 random(1);
  std::lognormal_distribution<double> times(0, 0.5);  // median 1
  for (const std::size_t n : {20U, 50U, 200U}) {
    int held = 0;
    constexpr int trials = 2000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> samples(n);
      for (double& x : samples) x = times(random);
      const double reach = median_uncertainty(samples) * summary_of(samples).median;
      // The function gives half of the interval's width; its middle is not the median, so twice that is allowed.
      held += std::abs(summary_of(samples).median - 1) <= 2 * reach ? 1 : 0;
    }
    CHECK(held >= trials * 95 / 100);
  }
}
