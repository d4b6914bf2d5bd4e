// Which bus bandwidth is normal: what was published of such machines, beside what the model expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalog/bus_bandwidth.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/cluster.hpp"

namespace meshgauge {

enum class BandVerdict { low, normal, high };
MESHGAUGE_NAMES(BandVerdict, "low", "normal", "high");

struct BandQuestion {
  Collective collective = Collective::all_reduce;
  double bytes = 0;  ///< in the sense of nccl-tests
  Route route;
  std::optional<bool> in_switch;  ///< whether NVLS ran, where it can; nothing: not known
};

struct BusRange {
  BytesPerSecond low{}, high{};
};

/// What is normal with one algorithm.
struct Band {
  std::string algorithm;                     ///< "nvls", "ring", or empty where NCCL has no such choice
  BusRange normal;                           ///< verdicts go by it
  BusRange modelled;                         ///< nine of ten measurements of machines that the model was not fitted on
  BytesPerSecond expected{};                 ///< by the model
  std::optional<BusRange> published;         ///< least and most of the curves, at this size
  std::vector<PublishedCurve> published_by;  ///< on the same GPUs and links
};

/// Published logs of equal machines differ by 6 % at most above this size, by up to threefold below, where host and
/// harness decide (pairs of curves of the catalog).
inline constexpr double bandwidth_bytes = 33554432;
inline constexpr double published_spread = 0.1;

/// One for each algorithm that may have run. Empty for a single rank.
[[nodiscard]] std::vector<Band> bands_of(const Profile&, const Cluster&, const BandQuestion&);

[[nodiscard]] BandVerdict verdict_on(const Band&, BytesPerSecond measured);

struct BandCause {
  std::string id;
  std::string message;
  std::string command;  ///< that confirms it, or comes next
  std::string source;   ///< empty: it follows from the figures
};

/// What would explain a bandwidth that is not normal, the likeliest first; empty if it is normal with every algorithm.
[[nodiscard]] std::vector<BandCause> causes_of(const Profile&, const Cluster&, const BandQuestion&,
                                               BytesPerSecond measured);

/// Curves of machines with these GPUs, links and group; with a fault or without.
[[nodiscard]] std::vector<PublishedCurve> curves_like(const Cluster&, const BandQuestion&, bool faulty);

}  // namespace meshgauge
