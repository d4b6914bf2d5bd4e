// In-flight bounds against the published ones and the counts that a simulation of each schedule gives.
#include "core/count/in_flight.hpp"

#include "tests/support/catch.hpp"

using meshgauge::in_flight;
using meshgauge::Schedule;

TEST_CASE("GPipe keeps every micro-batch, naive only one") {
  CHECK(in_flight(Schedule::gpipe, 0, 4, 1, 16).activation_sets == 16);
  CHECK(in_flight(Schedule::naive, 0, 4, 1, 16).activation_sets == 1);
}

TEST_CASE("1F1B keeps min(m, p - r)") {  // Megatron-LM schedules.py: p - r - 1 warm-up forwards and the one running
  CHECK(in_flight(Schedule::one_f_one_b, 0, 8, 1, 64).activation_sets == 8);
  CHECK(in_flight(Schedule::one_f_one_b, 7, 8, 1, 64).activation_sets == 1);
  CHECK(in_flight(Schedule::one_f_one_b, 0, 8, 1, 3).activation_sets == 3);
}

TEST_CASE("Interleaving costs 1 + (p - 1) / (p v) of the 1F1B bound on the first rank") {
  // Korthikanti et al. 2022, arXiv:2205.05198 section 4.2.3: L (1 + (p - 1) / (p v)) layers; a rank holds L / p.
  for (const std::int64_t p : {2, 4, 8, 16}) {
    for (const std::int64_t v : {2, 3, 5}) {
      const double sets = in_flight(Schedule::interleaved, 0, p, v, 8 * p).activation_sets;
      const auto pd = static_cast<double>(p), vd = static_cast<double>(v);
      CHECK(sets / pd == Approx(1 + (pd - 1) / (pd * vd)));
    }
  }
  // Megatron's logged last rank: (v - 1) p + 1 chunks.
  CHECK(in_flight(Schedule::interleaved, 3, 4, 2, 32).activation_sets == Approx((1 * 4 + 1) / 2.0));
  CHECK(in_flight(Schedule::interleaved, 0, 4, 2, 1).activation_sets == 1);  // fewer micro-batches than ranks
}

TEST_CASE("Zero-bubble schedules keep the published multiples of 1F1B") {  // arXiv:2401.10241, 2405.15362
  for (const std::int64_t r : {0, 3, 7}) {
    CHECK(in_flight(Schedule::zb_h1, r, 8, 1, 64).activation_sets == 8);
    CHECK(in_flight(Schedule::zb_h2, r, 8, 1, 64).activation_sets == 15);
    CHECK(in_flight(Schedule::zb_v, r, 8, 2, 64).activation_sets == 8);
  }
}

TEST_CASE("DualPipe keeps p + 1 chunks of which a rank owns two") {  // DeepSeek-V3, arXiv:2412.19437 table 2
  CHECK(in_flight(Schedule::dualpipe, 0, 8, 1, 32).activation_sets * 2 == 9);
  CHECK(in_flight(Schedule::dualpipe, 5, 16, 1, 64).activation_sets * 2 == 17);
}

TEST_CASE("PipeDream keeps a weight version for each micro-batch in flight, 2BW two") {
  CHECK(in_flight(Schedule::pipedream, 0, 4, 1, 100).weight_versions == 4);
  CHECK(in_flight(Schedule::pipedream, 3, 4, 1, 100).weight_versions == 1);
  CHECK(in_flight(Schedule::pipedream_2bw, 0, 4, 1, 100).weight_versions == 2);
  CHECK(in_flight(Schedule::pipedream_2bw, 0, 4, 1, 100).activation_sets == 4);
}
