// Rounding to significant digits without printf.
#include "core/scenario/rounding.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/support/catch.hpp"

using meshgauge::round_significant;

TEST_CASE("Values are rounded half up to six digits") {
  CHECK(round_significant(123456.4, 6) == 123456);
  CHECK(round_significant(123456.5, 6) == 123457);
  CHECK(round_significant(3.14159265, 6) == 3.14159);
  CHECK(round_significant(0.000123456789, 6) == 0.000123457);
  CHECK(round_significant(999999.5, 6) == 1e6);
  CHECK(round_significant(0.99999951, 6) == 1.0);
  CHECK(round_significant(-2.71828182, 6) == -2.71828);
  CHECK(round_significant(0, 6) == 0);
}

TEST_CASE("The result is the double that the digits name") {
  double value = 1.2345678901e-20;
  for (int i = 0; i < 40; ++i, value *= 9.87654321) {
    char text[64];
    std::snprintf(text, sizeof text, "%.5e", value);
    CHECK(round_significant(value, 6) == std::strtod(text, nullptr));
  }
}

TEST_CASE("The ends of the range stay finite, and what is not finite is not hidden") {
  CHECK(std::isfinite(round_significant(std::numeric_limits<double>::max(), 6)));
  CHECK(round_significant(std::numeric_limits<double>::max(), 6) == Approx(1.79769e308));
  CHECK(round_significant(5e-324, 6) == 5e-324);
  CHECK(std::isinf(round_significant(std::numeric_limits<double>::infinity(), 6)));
  CHECK(std::isnan(round_significant(std::numeric_limits<double>::quiet_NaN(), 6)));
}
