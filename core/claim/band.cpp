#include "core/claim/band.hpp"

#include <algorithm>

#include "core/catalog/catalog.hpp"
#include "core/price/collective.hpp"

namespace meshgauge {
namespace {

constexpr double large = 17179869184;  ///< bytes: where stated peaks are reached (16 GiB)

/// InfiniBand and RoCE of one rate give the same in published logs: 187 and 189 GB/s on two DGX A100, 478 and 471 on
/// two nodes of H100 or H200.
std::string_view kind_of(std::string_view network) { return network == "IB" || network == "RoCE" ? "RDMA" : network; }

bool near(double a, double b) { return a > 0.9 * b && a < 1.1 * b; }

BytesPerSecond modelled(const Profile& profile, const Cluster& cluster, const BandQuestion& question, double bytes) {
  const double seconds = modelled_time(profile, cluster, question.collective, bytes, question.route).value;
  return {wire_factor(question.collective, question.route.size) * bytes / seconds};
}

/// The figure of a curve at this size: a stated peak follows the model to smaller messages.
std::optional<BytesPerSecond> figure_of(const PublishedCurve& curve, const Profile& profile, const Cluster& cluster,
                                        const BandQuestion& question) {
  if (curve.peak.value == 0) return bus_bandwidth_at(curve, question.bytes);
  if (question.bytes < bandwidth_bytes) return std::nullopt;
  const double share = modelled(profile, cluster, question, std::min(question.bytes, large)).value /
                       modelled(profile, cluster, question, large).value;
  return BytesPerSecond{curve.peak.value * share};
}

Band band_with(std::string algorithm, const Profile& profile, const Cluster& cluster, const BandQuestion& question) {
  Band band;
  band.expected = modelled(profile, cluster, question, question.bytes);
  const TimeRange range = collective_range(question.collective, question.bytes, question.route);
  band.modelled = {{band.expected.value / range.high}, {band.expected.value / range.low}};
  for (PublishedCurve& curve : curves_like(cluster, question, false)) {
    if (!curve.algorithm.empty() && curve.algorithm != algorithm) continue;
    const auto figure = figure_of(curve, profile, cluster, question);
    if (!figure) continue;
    if (!band.published) band.published = {*figure, *figure};
    band.published->low = std::min(band.published->low, *figure);
    band.published->high = std::max(band.published->high, *figure);
    band.published_by.push_back(std::move(curve));
  }
  band.algorithm = std::move(algorithm);
  band.normal = band.modelled;
  if (!band.published) return band;
  const BusRange wider = {{band.published->low.value * (1 - published_spread)},
                          {band.published->high.value * (1 + published_spread)}};
  if (question.bytes >= bandwidth_bytes) {
    band.normal = wider;
  } else {
    band.normal = {std::min(wider.low, band.modelled.low), std::max(wider.high, band.modelled.high)};
  }
  return band;
}

}  // namespace

std::vector<PublishedCurve> curves_like(const Cluster& cluster, const BandQuestion& question, bool faulty) {
  const Route& route = question.route;
  std::vector<PublishedCurve> curves = published_curves(question.collective, route.size, route.in_node());
  std::erase_if(curves, [&](const PublishedCurve& curve) {
    if (curve.fault.empty() == faulty) return true;
    const Result<Gpu> gpu = find_gpu(curve.gpu, "");
    if (!gpu.ok() || gpu.value->architecture != cluster.gpu.architecture) return true;
    if (gpu.value->nvlink != cluster.gpu.nvlink || gpu.value->vendor != cluster.gpu.vendor) return true;
    const bool inside = route.in_node() > 1;
    if (inside && !curve.topology.empty() && curve.topology != cluster.intra_topology) return true;
    if (!route.spans_nodes()) return !curve.network.empty();
    return kind_of(curve.network) != kind_of(cluster.inter_type) ||
           !near(curve.network_rate.value, cluster.inter.bandwidth.value);
  });
  return curves;
}

std::vector<Band> bands_of(const Profile& profile, const Cluster& cluster, const BandQuestion& question) {
  std::vector<Band> bands;
  if (question.route.size < 2 || !(question.bytes > 0)) return bands;
  const bool choice = question.collective == Collective::all_reduce && !question.route.spans_nodes() &&
                      question.route.size >= switch_ranks && profile.intra.in_switch > 0;
  if (!choice) {
    bands.push_back(band_with({}, profile, cluster, question));
    return bands;
  }
  if (question.in_switch.value_or(true)) bands.push_back(band_with("nvls", profile, cluster, question));
  if (!question.in_switch.value_or(false)) {
    Profile ring = profile;
    ring.intra.in_switch = 0;
    bands.push_back(band_with("ring", ring, cluster, question));
  }
  return bands;
}

BandVerdict verdict_on(const Band& band, BytesPerSecond measured) {
  return measured < band.normal.low    ? BandVerdict::low
         : measured > band.normal.high ? BandVerdict::high
                                       : BandVerdict::normal;
}

}  // namespace meshgauge
