#include "core/calibrate/series.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/calibrate/factors.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Group = std::tuple<Collective, std::int64_t, std::int64_t>;  // collective, ranks, ranks a node
/// How it was called. What is preferred sorts first: out of place, many groups at once.
using Way = std::tuple<bool, std::int64_t, std::string>;
using Sizes = std::map<double, std::vector<double>>;

/// Reasons with how many measurements each.
class Reasons {
 public:
  void add(const std::string& reason) { ++counts_[reason]; }
  [[nodiscard]] std::vector<std::string> list() const {
    std::vector<std::string> lines;
    for (const auto& [reason, count] : counts_) {
      lines.push_back(number_text(count) + (count == 1 ? " measurement " : " measurements ") + reason);
    }
    return lines;
  }

 private:
  std::map<std::string, std::int64_t> counts_;
};

/// Why it cannot be used; empty if it can.
std::string reason_against(const MeasuredCollective& m, const Route& route) {
  if (!m.collective) return "of " + m.operation + ": the model has no price for it";
  if (m.wrong > 0) return "with wrong results";
  if (m.bytes <= 0 || m.seconds.value <= 0) return "of empty messages";
  if (route.size == 0) return "without a number of ranks: set ranks";
  if (route.size == 1) return "of a single rank: nothing is communicated";
  if (route.per_node == 0) return "without a number of ranks a node: set ranks_per_node";
  return {};
}

Route route_of(const Place& place) {
  const std::int64_t per_node = place.ranks_per_node > 0 ? place.ranks_per_node : place.gpus_per_node;
  return {place.ranks, std::min(place.ranks, per_node)};
}

std::vector<Sample> samples_of(const Sizes& sizes) {
  std::vector<Sample> samples;
  for (const auto& [bytes, seconds] : sizes) {
    samples.push_back({bytes, {median_of_different(seconds)}});
  }
  return samples;
}

}  // namespace

SeriesSet series_of(const std::vector<ImportedRun>& runs) {
  std::map<Group, std::map<Way, Sizes>> groups;
  std::map<Group, std::int64_t> counts;
  Reasons reasons;
  for (const ImportedRun& run : runs) {
    for (const Measurement& measurement : run.measurements) {
      const auto* m = std::get_if<MeasuredCollective>(&measurement.what);
      if (m == nullptr) continue;
      const Route route = route_of(m->place);
      const std::string reason = reason_against(*m, route);
      if (!reason.empty()) {
        reasons.add(reason);
        continue;
      }
      const Group group{*m->collective, route.size, route.in_node()};
      groups[group][{m->in_place, -m->concurrent, m->type}][m->bytes].push_back(m->seconds.value);
      ++counts[group];
    }
  }
  SeriesSet set;
  for (const auto& [group, ways] : groups) {
    const auto best = std::max_element(ways.begin(), ways.end(), [](const auto& a, const auto& b) {
      const auto rank = [](const auto& way) {
        const auto& [in_place, fewer, type] = way.first;
        return std::tuple(!in_place, -fewer, way.second.size());
      };
      return rank(a) < rank(b);
    });
    const auto [collective, ranks, per_node] = group;
    set.series.push_back({collective, {ranks, per_node}, samples_of(best->second), counts[group]});
  }
  set.left_out = reasons.list();
  return set;
}

}  // namespace meshgauge
