// Logarithms from exact operations, against the C library's.
#include "core/price/logarithm.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace meshgauge {

TEST_CASE("Natural logarithm and exponential agree with the C library to 1e-14") {
  for (double x = 1e-12; x < 1e13; x *= 1.37) {
    CAPTURE(x);
    CHECK(natural_log(x) == Approx(std::log(x)).epsilon(1e-14).margin(1e-15));
  }
  for (double x = -300; x < 300; x += 0.731) {
    CAPTURE(x);
    CHECK(exponential(x) == Approx(std::exp(x)).epsilon(1e-13));
  }
  CHECK(natural_log(1) == 0);
  CHECK(exponential(0) == 1);
}

TEST_CASE("The base-2 logarithm is exact at powers of two and straight between") {
  CHECK(log2_of(1) == 0);
  CHECK(log2_of(1024) == 10);
  CHECK(log2_of(0.25) == -2);
  CHECK(log2_of(3) == 1.5);
  CHECK(log2_of(12) == 3.5);
}

}  // namespace meshgauge
