// Statistics of errors, against figures worked out by hand.
#include "core/validate/summary.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace {

using namespace meshgauge;

/// A measurement of 100 that is predicted `error` per cent off, in a range of 5 to either side.
Comparison off_by(double error) {
  const double predicted = 100 + error;
  return {.predicted = predicted, .measured = 100, .low = predicted - 5, .high = predicted + 5};
}

ErrorSummary of(const std::vector<double>& errors) {
  std::vector<Comparison> comparisons;
  for (const double error : errors) comparisons.push_back(off_by(error));
  return summarise(std::span<const Comparison>(comparisons));
}

}  // namespace

TEST_CASE("A summary of errors has their mean, median, 90th percentile, maximum, bias and coverage") {
  const ErrorSummary s = of({-10, 2, 4, -6});
  CHECK(s.n == 4);
  CHECK(s.mean == Approx(0.055));   // (10 + 2 + 4 + 6) / 4
  CHECK(s.median == Approx(0.05));  // between 4 and 6
  CHECK(s.p90 == Approx(0.088));    // numpy.percentile([10, 2, 4, 6], 90)
  CHECK(s.max == Approx(0.10));
  CHECK(s.bias == Approx(-0.025));   // (-10 + 2 + 4 - 6) / 4
  CHECK(s.coverage == Approx(0.5));  // 2 and 4 are within 5
}

TEST_CASE("The median of an odd number of errors is the middle one") {
  CHECK(of({9, -1, 3}).median == Approx(0.03));
  CHECK(of({-7}).median == Approx(0.07));
  CHECK(of({-7}).p90 == Approx(0.07));
}

TEST_CASE("The 90th percentile of eleven errors is the tenth") {
  CHECK(of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).p90 == Approx(0.09));
}

TEST_CASE("A summary of nothing counts nothing") {
  CHECK(of({}).n == 0);
  CHECK(of({}).max == 0);
}

TEST_CASE("The ends of the predicted range belong to it") {
  CHECK(of({5}).coverage == 1);
  CHECK(of({-5}).coverage == 1);
  CHECK(of({5.001}).coverage == 0);
}

TEST_CASE("Fits that failed and failures that ran are counted apart") {
  const auto run = [](bool predicted, bool measured) {
    RunComparison r;
    r.fits = FitComparison{.predicted = predicted, .measured = measured};
    return r;
  };
  const std::vector<RunComparison> runs{run(true, true),  run(true, true),   run(true, false), run(false, true),
                                        run(false, true), run(false, false), RunComparison{}};
  const FitCounts fits = summarise(std::span<const RunComparison>(runs)).fits;
  CHECK(fits.n == 6);
  CHECK(fits.right == 3);
  CHECK(fits.out_of_memory == 2);
  CHECK(fits.false_fits == 1);
  CHECK(fits.false_ooms == 2);
}

TEST_CASE("Memory of all kinds is summed up together and apart") {
  RunComparison a, b;
  a.step = off_by(50);
  a.memory = {off_by(1), off_by(3), std::nullopt};
  b.memory = {off_by(-5), std::nullopt, std::nullopt};
  const std::vector<RunComparison> runs{a, b};
  const SetSummary s = summarise(std::span<const RunComparison>(runs));
  CHECK(s.step_time.n == 1);
  CHECK(s.memory[0].n == 2);
  CHECK(s.memory[0].bias == Approx(-0.02));
  CHECK(s.memory[1].n == 1);
  CHECK(s.memory[2].n == 0);
  CHECK(s.all_memory.n == 3);
  CHECK(s.all_memory.mean == Approx(0.03));
}
