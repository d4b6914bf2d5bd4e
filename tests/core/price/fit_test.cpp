// The chance to fit, against tables of the normal distribution (Abramowitz and Stegun, table 26.1).
#include "core/price/fit.hpp"

#include "tests/support/catch.hpp"

using meshgauge::Bytes;
using meshgauge::fit_probability;
using meshgauge::normal_share_below;
using meshgauge::room_for;

TEST_CASE("The share below z agrees with tables to 0.00025") {
  CHECK(normal_share_below(0) == 0.5);
  CHECK(normal_share_below(0.5) == Approx(0.69146).margin(0.00025));
  CHECK(normal_share_below(1) == Approx(0.84134).margin(0.00025));
  CHECK(normal_share_below(1.645) == Approx(0.95).margin(0.00025));
  CHECK(normal_share_below(2) == Approx(0.97725).margin(0.00025));
  CHECK(normal_share_below(3) == Approx(0.99865).margin(0.00025));
  CHECK(normal_share_below(-1) == Approx(0.15866).margin(0.00025));
  CHECK(normal_share_below(-3) == Approx(0.00135).margin(0.00025));
}

TEST_CASE("The share below z rises with z and stays between 0 and 1") {
  double last = 0;
  for (double z = -50; z <= 50; z += 0.25) {
    const double share = normal_share_below(z);
    CHECK(share >= last);
    CHECK(share <= 1);
    last = share;
  }
}

TEST_CASE("What may be used for a chance is where the chance is reached") {
  CHECK(room_for(Bytes{84e9}, 0.05, 0.84134).value == Approx(80e9).epsilon(3e-4));
  CHECK(room_for(Bytes{86.58e9}, 0.05, 0.95).value == Approx(80e9).epsilon(3e-4));  // 1.645 of the spread
  for (const double sigma : {0.0, 0.03, 0.2}) {
    for (const double least : {0.5, 0.7, 0.95, 0.99}) {
      const Bytes room = room_for(Bytes{80e9}, sigma, least);
      CHECK(fit_probability(room, Bytes{80e9}, sigma) >= least);
      CHECK(fit_probability(room + Bytes{1e3}, Bytes{80e9}, sigma) < least);
    }
  }
}

TEST_CASE("The chance to fit is half at the capacity and never certain") {
  CHECK(fit_probability(Bytes{80e9}, Bytes{80e9}, 0.05) == 0.5);
  CHECK(fit_probability(Bytes{80e9}, Bytes{84e9}, 0.05) == Approx(0.84134).margin(0.00025));
  CHECK(fit_probability(Bytes{1e9}, Bytes{80e9}, 0.05) == 0.99);
  CHECK(fit_probability(Bytes{800e9}, Bytes{80e9}, 0.05) == 0.01);
  CHECK(fit_probability(Bytes{80e9}, Bytes{80e9}, 0) == 0.99);
  CHECK(fit_probability(Bytes{81e9}, Bytes{80e9}, 0) == 0.01);
}
