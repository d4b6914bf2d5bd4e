#include "core/catalog/bus_bandwidth.hpp"

#include <algorithm>

#include "core/catalog/embedded.hpp"
#include "core/catalog/json_text.hpp"
#include "core/catalog/lines.hpp"

namespace meshgauge {
namespace {

constexpr double furthest = 8;  ///< times the largest size

std::vector<BusPoint> points_of(const JsonText& list) {
  std::vector<BusPoint> points;
  list.for_each([&](const JsonText& pair) {
    std::vector<double> two;
    pair.for_each([&](const JsonText& number) { two.push_back(number.number()); });
    if (two.size() == 2) points.push_back({two[0], {two[1] * giga}});
  });
  return points;
}

}  // namespace

std::vector<PublishedCurve> published_curves(Collective collective, std::int64_t ranks, std::int64_t ranks_per_node) {
  std::vector<PublishedCurve> curves;
  for_each_entry(embedded::bus_bandwidth_json, [&](const EntryLine& line) {
    const JsonText entry{line.json};
    if (entry.at("collective").string() != name_of(collective)) return;
    if (entry.at("ranks").number() != static_cast<double>(ranks)) return;
    if (entry.at("ranks_per_node").number() != static_cast<double>(ranks_per_node)) return;
    PublishedCurve curve;
    curve.id = entry.at("id").string();
    curve.gpu = entry.at("gpu").string();
    curve.topology = entry.at("topology").string();
    curve.network = entry.at("network").string();
    curve.network_rate = {entry.at("network_gbs").number() * giga};
    curve.collective = collective;
    curve.ranks = ranks;
    curve.ranks_per_node = ranks_per_node;
    curve.algorithm = entry.at("algorithm").string();
    curve.fault = entry.at("fault").string();
    curve.peak = {entry.at("peak_gbs").number() * giga};
    curve.points = points_of(entry.at("points"));
    curve.source = entry.at("source").string();
    curves.push_back(std::move(curve));
  });
  return curves;
}

std::optional<BytesPerSecond> bus_bandwidth_at(const PublishedCurve& curve, double bytes) {
  const std::vector<BusPoint>& points = curve.points;
  if (points.empty() || bytes < points.front().bytes || bytes > furthest * points.back().bytes) return std::nullopt;
  if (bytes >= points.back().bytes) return points.back().bus;
  const auto above = std::upper_bound(points.begin(), points.end(), bytes,
                                      [](double size, const BusPoint& point) { return size < point.bytes; });
  const BusPoint &low = *(above - 1), &high = *above;
  const double first = low.bytes / low.bus.value, last = high.bytes / high.bus.value;
  const double time = first + (bytes - low.bytes) / (high.bytes - low.bytes) * (last - first);
  return BytesPerSecond{bytes / time};
}

}  // namespace meshgauge
