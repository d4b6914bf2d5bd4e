// Curves that were made of known constants come back, and what cannot be fitted is said.
#include "core/calibrate/collectives.hpp"

#include <algorithm>
#include <cmath>

#include "core/price/collective.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/noise.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

constexpr double kib = 1024, mib = 1024 * kib;

/// What a machine with the prices of `truth` would show, sizes doubling.
Series measured_on(const Profile& truth, const Cluster& cluster, Collective op, Route route, double scatter,
                   double first = kib, double last = 1024 * mib) {
  testing::Noise noise(static_cast<std::uint64_t>(op) * 100 + static_cast<std::uint64_t>(route.size));
  Series s{op, route, {}, 0};
  for (double bytes = first; bytes <= last; bytes *= 2) {
    const Seconds t = modelled_time(truth, cluster, op, bytes, route);
    s.samples.push_back({bytes, (1 + scatter * noise.normal()) * t});
  }
  s.measurements = static_cast<std::int64_t>(s.samples.size());
  return s;
}

/// An A100 node with twice the start-up time, longer hops and four fifths of the bandwidth.
Profile other_machine(const Cluster& cluster) {
  Profile p = default_profile(cluster);
  p.intra.base = 2 * p.intra.base;
  p.intra.hop = 1.3 * p.intra.hop;
  p.intra.ring *= 0.8;
  return p;
}

const FittedParameter& parameter(const CollectiveFit& fit, const std::string& field) {
  const auto found = std::find_if(fit.parameters.begin(), fit.parameters.end(),
                                  [&](const FittedParameter& p) { return p.field == field; });
  REQUIRE(found != fit.parameters.end());
  return *found;
}

void check_found(const CollectiveFit& fit, const std::string& field, double wanted) {
  const FittedParameter& p = parameter(fit, field);
  CAPTURE(field, p.before, p.after, p.sigma, wanted);
  CHECK(std::fabs(std::log(p.after / wanted)) < 3 * p.sigma);
  CHECK(p.sigma < 0.2);
}

std::vector<Series> node_series(const Profile& truth, const Cluster& cluster, double scatter) {
  return {measured_on(truth, cluster, Collective::all_reduce, {8, 8}, scatter),
          measured_on(truth, cluster, Collective::all_gather, {8, 8}, scatter),
          measured_on(truth, cluster, Collective::all_reduce, {2, 2}, scatter)};
}

}  // namespace

TEST_CASE("Latency, hops and bandwidth inside a node are found within their stated uncertainty") {
  const Cluster cluster = dgx_a100(8);
  const Profile truth = other_machine(cluster);
  const CollectiveFit fit =
      fit_collectives(default_profile(cluster), cluster, node_series(truth, cluster, 0.02), false);
  check_found(fit, "intra_base_seconds", truth.intra.base.value);
  check_found(fit, "intra_hop_seconds", truth.intra.hop.value);
  check_found(fit, "intra_ring_efficiency", truth.intra.ring);
  for (const CurveReport& r : fit.curves) {
    CHECK(r.verdict == CurveVerdict::fitted);
    CHECK(r.error_before.median > 0.15);
    CHECK(r.error_after.median < 0.02);
    CHECK(r.held_out.n == 10);
    CHECK(r.held_out.median < 0.03);
  }
  // What was not measured follows the constants: another operation and another group size of the tier.
  for (const double bytes : {8 * kib, mib, 256 * mib}) {
    CHECK(collective_time(fit.profile, cluster, Collective::reduce_scatter, bytes, {4, 4}).value ==
          Approx(modelled_time(truth, cluster, Collective::reduce_scatter, bytes, {4, 4}).value).epsilon(0.05));
  }
}

TEST_CASE("Constants between nodes are found too, and those of all-to-all on their own") {
  const Cluster cluster = dgx_a100(16);
  Profile truth = default_profile(cluster);
  truth.inter.hop = 3 * truth.inter.hop;
  truth.inter.ring *= 0.7;
  truth.inter.peer = 2 * truth.inter.peer;
  truth.inter.all_to_all *= 0.5;
  const CollectiveFit fit = fit_collectives(default_profile(cluster), cluster,
                                            {measured_on(truth, cluster, Collective::all_gather, {16, 8}, 0.02),
                                             measured_on(truth, cluster, Collective::all_to_all, {16, 8}, 0.02)},
                                            true);
  check_found(fit, "inter_hop_seconds", truth.inter.hop.value);
  check_found(fit, "inter_ring_efficiency", truth.inter.ring);
  check_found(fit, "inter_peer_seconds", truth.inter.peer.value);
  check_found(fit, "inter_all_to_all_efficiency", truth.inter.all_to_all);
}

TEST_CASE("A protocol switch that the model has not is on the curve, held-out sizes included") {
  const Cluster cluster = dgx_a100(8);
  Series s = measured_on(default_profile(cluster), cluster, Collective::all_reduce, {8, 8}, 0.01);
  for (Sample& sample : s.samples) {
    if (sample.bytes >= 256 * kib && sample.bytes <= 8 * mib) sample.seconds = 1.6 * sample.seconds;
  }
  const CollectiveFit fit = fit_collectives(default_profile(cluster), cluster, {s}, false);
  CHECK(fit.curves[0].error_before.median < 0.7);
  CHECK(fit.curves[0].error_after.median < 0.01);
  CHECK(fit.curves[0].held_out.median < 0.05);
  CHECK(fit.curves[0].held_out.p90 < 0.35);  // the two sizes at the switch
}

TEST_CASE("Lone spikes, a cold first call and dips do not bend the curve") {
  const Cluster cluster = dgx_a100(8);
  const Profile truth = default_profile(cluster);
  Series s = measured_on(truth, cluster, Collective::all_reduce, {8, 8}, 0.01);
  s.samples[0].seconds = 16 * s.samples[0].seconds;  // [119] of the published logs
  s.samples[9].seconds = 3 * s.samples[9].seconds;
  s.samples[14].seconds = 0.4 * s.samples[14].seconds;
  const CollectiveFit fit = fit_collectives(truth, cluster, {s}, false);
  const std::vector<bool>& out = fit.curves[0].outlier;
  CHECK(std::count(out.begin(), out.end(), true) == 3);
  for (const std::size_t i : {0, 9, 14}) {
    CAPTURE(i);
    CHECK(out[i]);
    CHECK(
        fit.curves[0].after[i].value ==
        Approx(modelled_time(truth, cluster, Collective::all_reduce, s.samples[i].bytes, {8, 8}).value).epsilon(0.06));
  }
}

TEST_CASE("Times that fall with size become a rising curve") {
  const Cluster cluster = dgx_a100(8);
  Series s = measured_on(default_profile(cluster), cluster, Collective::all_gather, {8, 8}, 0.25);
  const CollectiveFit fit = fit_collectives(default_profile(cluster), cluster, {s}, false);
  Seconds before{};
  for (double bytes = 100; bytes < 1e10; bytes *= 1.3) {
    const Seconds now = collective_time(fit.profile, cluster, Collective::all_gather, bytes, {8, 8});
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("Three sizes change nothing and say so") {
  const Cluster cluster = dgx_a100(8);
  Series s = measured_on(other_machine(cluster), cluster, Collective::all_reduce, {8, 8}, 0);
  s.samples.resize(3);
  const CollectiveFit fit = fit_collectives(default_profile(cluster), cluster, {s}, false);
  CHECK(fit.curves[0].verdict == CurveVerdict::too_few_sizes);
  CHECK(fit.parameters.empty());
  CHECK(fit.profile.measured.collectives.empty());
}

TEST_CASE("A machine below half of what its links allow is not fitted unless asked for") {
  const Cluster cluster = dgx_a100(16);
  Profile truth = default_profile(cluster);
  truth.inter.ring *= 0.1;  // fell back to TCP
  truth.inter.two_node_tree = 0;
  const Series s = measured_on(truth, cluster, Collective::all_reduce, {16, 8}, 0);
  const CollectiveFit kept = fit_collectives(default_profile(cluster), cluster, {s}, false);
  CHECK(kept.curves[0].verdict == CurveVerdict::slow);
  CHECK(kept.curves[0].share_of_default < 0.2);
  CHECK(kept.profile.measured.collectives.empty());
  const CollectiveFit asked = fit_collectives(default_profile(cluster), cluster, {s}, true);
  CHECK(asked.curves[0].verdict == CurveVerdict::fitted);
  CHECK(asked.curves[0].error_after.median < 0.02);
}

TEST_CASE("Sizes that are left out are predicted without what an earlier profile knows of them") {
  const Cluster cluster = dgx_a100(8);
  const std::vector<Series> series = node_series(other_machine(cluster), cluster, 0.05);
  const Profile earlier = fit_collectives(default_profile(cluster), cluster, series, false).profile;
  REQUIRE(!earlier.measured.collectives.empty());
  Profile forgetful = earlier;
  forgetful.measured.collectives.clear();
  const CollectiveFit refined = fit_collectives(earlier, cluster, series, false);
  const CollectiveFit afresh = fit_collectives(forgetful, cluster, series, false);
  REQUIRE(refined.curves.size() == afresh.curves.size());
  for (std::size_t i = 0; i < afresh.curves.size(); ++i) {
    REQUIRE(afresh.curves[i].held_out.n > 0);
    CHECK(refined.curves[i].held_out.median == afresh.curves[i].held_out.median);
    CHECK(refined.curves[i].held_out.p90 == afresh.curves[i].held_out.p90);
  }
}

TEST_CASE("The same measurements give the same profile again") {
  const Cluster cluster = dgx_a100(8);
  const std::vector<Series> series = node_series(other_machine(cluster), cluster, 0.05);
  const CollectiveFit once = fit_collectives(default_profile(cluster), cluster, series, false);
  const CollectiveFit again = fit_collectives(default_profile(cluster), cluster, series, false);
  CHECK(once.profile.measured == again.profile.measured);
  CHECK(once.profile.intra.ring == again.profile.intra.ring);
}

}  // namespace meshgauge
