// Collectives of one profile priced once each: a search asks for the same ones over and over.
#pragma once

#include <cstddef>
#include <vector>

#include "core/price/collective.hpp"

namespace meshgauge {

/// Remembers the last few hundred that it was asked for. The profile has to outlive it.
class CollectiveTimes {
 public:
  CollectiveTimes(const Profile& profile, Cluster cluster)
      : profile_(profile), cluster_(std::move(cluster)), known_(size) {}

  /// What collective_time() says.
  [[nodiscard]] Seconds operator()(Collective op, double bytes, const Route& route) {
    Known& known = known_[place(op, bytes, route)];
    if (!(known.bytes == bytes && known.op == op && known.route == route)) {
      known = {bytes, op, route, collective_time(profile_, cluster_, op, bytes, route)};
    }
    return known.seconds;
  }

 private:
  static constexpr unsigned bits = 9;
  static constexpr std::size_t size = std::size_t{1} << bits;
  struct Known {
    double bytes = -1;
    Collective op = Collective::all_reduce;
    Route route;
    Seconds seconds{};
  };

  static std::size_t place(Collective op, double bytes, const Route& route) {
    const std::uint64_t ranks = static_cast<std::uint64_t>(route.size) << 34U ^
                                static_cast<std::uint64_t>(route.per_node) << 20U ^
                                static_cast<std::uint64_t>(route.per_block) << 8U ^ static_cast<std::uint64_t>(op);
    constexpr std::uint64_t mix = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio: Fibonacci hashing
    return static_cast<std::size_t>((logarithm::bits_of(bytes) ^ ranks * mix) * mix >> (64U - bits));
  }

  const Profile& profile_;
  Cluster cluster_;
  std::vector<Known> known_;
};

}  // namespace meshgauge
