// Regimes of curves that were made of known lines.
#include "core/calibrate/regimes.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/noise.hpp"

namespace meshgauge {
namespace {

struct Line {
  double latency, bandwidth;
};

std::vector<Sample> curve(std::initializer_list<std::pair<double, Line>> parts, double scatter) {
  testing::Noise noise(11);
  std::vector<Sample> samples;
  double bytes = 1024;
  for (const auto& [end, line] : parts) {
    for (; bytes <= end; bytes *= 2) {
      samples.push_back({bytes, {(line.latency + bytes / line.bandwidth) * (1 + scatter * noise.normal())}});
    }
  }
  return samples;
}

void check_near(double found, double sigma, double wanted) {
  CAPTURE(found, sigma, wanted);
  CHECK(std::fabs(found - wanted) <= 3 * sigma + 0.02 * wanted);
}

}  // namespace

TEST_CASE("One line is one regime, with its latency and bandwidth within the stated uncertainty") {
  const std::vector<Regime> found = regimes_of(curve({{1e9, {20e-6, 180e9}}}, 0.02));
  REQUIRE(found.size() == 1);
  check_near(found[0].latency.value, found[0].latency_sigma.value, 20e-6);
  check_near(found[0].bandwidth.value, found[0].bandwidth_sigma.value, 180e9);
  CHECK(found[0].first_bytes == 1024);
}

TEST_CASE("A protocol switch is found at its size") {
  // Low-latency protocol up to 256 KiB, then a slower start and three times the bandwidth.
  const auto samples = curve({{262144, {15e-6, 12e9}}, {1e9, {60e-6, 150e9}}}, 0.01);
  const std::vector<Regime> found = regimes_of(samples);
  REQUIRE(found.size() == 2);
  CHECK(found[0].last_bytes == 262144);
  check_near(found[0].latency.value, found[0].latency_sigma.value, 15e-6);
  check_near(found[0].bandwidth.value, found[0].bandwidth_sigma.value, 12e9);
  check_near(found[1].latency.value, found[1].latency_sigma.value, 60e-6);
  check_near(found[1].bandwidth.value, found[1].bandwidth_sigma.value, 150e9);
}

TEST_CASE("An outlier moves neither latency nor bandwidth") {
  auto samples = curve({{1e9, {20e-6, 180e9}}}, 0.01);
  samples[4].seconds = 7 * samples[4].seconds;
  const std::vector<Regime> found = regimes_of(samples);
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().latency.value == Approx(20e-6).epsilon(0.1));
  CHECK(found.back().bandwidth.value == Approx(180e9).epsilon(0.05));
}

TEST_CASE("Time that does not grow has no bandwidth, and fewer than three sizes no regime") {
  const std::vector<Regime> flat = regimes_of(curve({{65536, {30e-6, 1e18}}}, 0));
  REQUIRE(flat.size() == 1);
  CHECK(flat[0].latency.value == Approx(30e-6));
  CHECK(regimes_of(curve({{2048, {1e-6, 1e9}}}, 0)).empty());
}

}  // namespace meshgauge
