// Measured tables: exact where they were measured, rising between, fading away from it.
#include "core/price/measured.hpp"

#include "core/price/collective.hpp"
#include "core/price/gemm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

constexpr double kib = 1024, mib = 1024 * kib;
constexpr auto all_reduce = Collective::all_reduce;

/// Twice the model's time everywhere, at five sizes.
Profile doubled(const Cluster& cluster, const Route& route) {
  Profile p = default_profile(cluster);
  CollectiveCurve curve{all_reduce, route.size, route.per_node, 0.05, {}};
  for (const double bytes : {8 * kib, 128 * kib, 2 * mib, 32 * mib, 512 * mib}) {
    const Seconds t = modelled_time(p, cluster, all_reduce, bytes, route);
    curve.points.push_back({bytes, t, 2 * t});
  }
  p.measured.collectives = {curve};
  return p;
}

}  // namespace

TEST_CASE("A measured group takes the measured time, and sizes between and beyond follow the model") {
  const Cluster cluster = dgx_a100(8);
  const Profile plain = default_profile(cluster), fitted = doubled(cluster, {8, 8});
  for (const double bytes : {100.0, 8 * kib, 64 * kib, 3 * mib, 512 * mib, 8192 * mib}) {
    CAPTURE(bytes);
    CHECK(collective_time(fitted, cluster, all_reduce, bytes, {8, 8}).value ==
          Approx(2 * collective_time(plain, cluster, all_reduce, bytes, {8, 8}).value));
  }
  CHECK(price_collective(fitted, cluster, all_reduce, mib, {8, 8}).seconds ==
        collective_time(fitted, cluster, all_reduce, mib, {8, 8}));
}

TEST_CASE("Another group size takes half of the correction in the logarithm, one far away a quarter") {
  const Cluster cluster = dgx_a100(8);
  const Profile plain = default_profile(cluster), fitted = doubled(cluster, {8, 8});
  const auto ratio = [&](Collective op, Route route) {
    return collective_time(fitted, cluster, op, mib, route) / collective_time(plain, cluster, op, mib, route);
  };
  CHECK(ratio(all_reduce, {6, 6}) == Approx(1.41421).epsilon(1e-4));
  CHECK(ratio(all_reduce, {2, 2}) == Approx(1.18921).epsilon(1e-4));
  CHECK(ratio(Collective::all_gather, {8, 8}) == Approx(1));  // other kernels
  CHECK(ratio(all_reduce, {16, 8}) == Approx(1));             // another tier
}

TEST_CASE("Between nodes a step's other work slows the measured time as it slows the modelled") {
  const Cluster cluster = dgx_a100(16);
  const Profile plain = default_profile(cluster), fitted = doubled(cluster, {16, 8});
  for (const double bytes : {64 * kib, 16 * mib, 512 * mib}) {
    CHECK(collective_time(fitted, cluster, all_reduce, bytes, {16, 8}).value ==
          Approx(2 * collective_time(plain, cluster, all_reduce, bytes, {16, 8}).value));
  }
}

TEST_CASE("Time rises with bytes on any curve") {
  const Cluster cluster = dgx_a100(8);
  Profile p = default_profile(cluster);
  CollectiveCurve curve{all_reduce, 8, 8, 0, {}};
  std::uint64_t draw = 7;
  Seconds last{};
  for (double bytes = 16; bytes < 1e9; bytes *= 5) {
    draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
    const double noise = 0.3 + static_cast<double>(draw >> 40U) / (1U << 24U);
    const Seconds t = modelled_time(p, cluster, all_reduce, bytes, {8, 8});
    last = max(last, noise * t);
    curve.points.push_back({bytes, t, last});
  }
  p.measured.collectives = {curve};
  Seconds before{};
  for (double bytes = 1; bytes < 1e11; bytes *= 1.07) {
    const Seconds now = collective_time(p, cluster, all_reduce, bytes, {8, 8});
    CAPTURE(bytes);
    CHECK(now >= before);
    CHECK(now.value > 0);
    before = now;
  }
}

TEST_CASE("The range of a measured size is the curve's, and grows beyond it") {
  const Cluster cluster = dgx_a100(8);
  const Profile fitted = doubled(cluster, {8, 8});
  const auto high = [&](double bytes) { return collective_range(fitted, all_reduce, bytes, {8, 8}).high; };
  CHECK(high(mib) == Approx(1.05));
  CHECK(high(1024 * mib) == Approx(1.15));
  CHECK(high(4096 * mib) == Approx(1.35));
  CHECK(collective_range(fitted, all_reduce, mib, {4, 4}).high == collective_range(all_reduce, mib, {4, 4}).high);
}

TEST_CASE("A measured product takes its measured time, others by their nearness") {
  const Cluster cluster = dgx_a100(8);
  const Profile plain = default_profile(cluster);
  Profile p = plain;
  p.measured.products = {{MatmulFormat::bf16, 4096, 4096, 4096, 1.5}};
  const auto ratio = [&](MatmulFormat format, double m, double n, double k) {
    return gemm_time(p, format, m, n, k) / gemm_time(plain, format, m, n, k);
  };
  CHECK(ratio(MatmulFormat::bf16, 4096, 4096, 4096) == Approx(1.5).epsilon(1e-3));
  CHECK(ratio(MatmulFormat::bf16, 8192, 4096, 4096) == Approx(1.494).epsilon(0.01));
  CHECK(ratio(MatmulFormat::bf16, 64, 64, 64) < 1.02);
  CHECK(ratio(MatmulFormat::fp8, 4096, 4096, 4096) == 1);
}

TEST_CASE("A run's ratio holds for runs like it and fades with each octave") {
  MeasuredTables tables;
  const RunPoint here{
      .tokens = 4096, .hidden = 4096, .parameters = 7e9, .ranks = 64, .communication = 0.1, .ratio = 1.2};
  tables.runs = {here};
  CHECK(run_ratio(tables, here) == Approx(1.2).epsilon(1e-3));
  RunPoint other = here;
  other.tokens = 8192;
  CHECK(run_ratio(tables, other) == Approx(1.1).epsilon(0.01));  // an octave away it is worth as much as no run
  other.hidden = 16384;
  CHECK(run_ratio(tables, other) < 1.02);
  CHECK(run_ratio({}, here) == 1);
}

}  // namespace meshgauge
