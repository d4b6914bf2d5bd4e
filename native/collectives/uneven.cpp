#include "native/collectives/uneven.hpp"

#include <algorithm>
#include <numeric>

namespace meshgauge::harness {
namespace {

/// Of what `from` sends, the share that `to` gets.
double share(int from, int to, int ranks, const Skew& skew) {
  const double n = ranks;
  if (ranks == 1) return 1;
  if (skew.imbalance > 0) return to == 0 ? skew.imbalance / n : (1 - skew.imbalance / n) / (n - 1);
  const int distance = (to - from + ranks) % ranks;
  return (1 - skew.spread) / n + skew.spread * distance / (n * (n - 1) / 2);
}

}  // namespace

Traffic traffic_of(std::size_t bytes, ElementType type, int ranks, const Skew& skew) {
  const Layout even = layout_of(Operation::alltoall, bytes, type, ranks);
  const auto all = static_cast<double>(even.send);
  const std::size_t whole_lines = 16 / bytes_of(type);
  Traffic traffic(static_cast<std::size_t>(ranks), std::vector<std::size_t>(static_cast<std::size_t>(ranks)));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const auto elements = static_cast<std::size_t>(all * share(from, to, ranks, skew) + 1e-6);
      traffic[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = elements / whole_lines * whole_lines;
    }
  }
  return traffic;
}

Layout layout_of(const Traffic& traffic, ElementType type, std::size_t bytes) {
  Layout layout{layout_of(Operation::alltoall, bytes, type, static_cast<int>(traffic.size())).count, 0, 0, 0, 0, type};
  for (std::size_t r = 0; r < traffic.size(); ++r) {
    std::size_t received = 0;
    for (const auto& row : traffic) received += row[r];
    layout.send = std::max(layout.send, std::accumulate(traffic[r].begin(), traffic[r].end(), std::size_t{0}));
    layout.receive = std::max(layout.receive, received);
  }
  return layout;
}

}  // namespace meshgauge::harness
