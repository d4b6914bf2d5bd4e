// Seconds of a collective over two link tiers: latency, bytes over the bus ceiling, and what pipelining loses.
#pragma once

#include <cstdint>
#include <optional>

#include "core/engine/collective.hpp"
#include "core/price/algorithm.hpp"
#include "core/price/logarithm.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

/// What a faster part would shorten most.
enum class Bound {
  latency,    ///< hops and launches, whatever the bytes
  link,       ///< fabric between the GPUs of a node
  in_switch,  ///< the switch that adds up (NVLS)
  host_path,  ///< PCIe, through switches or host memory
  nic,        ///< network adapters of the node
  spine       ///< oversubscribed links between the network's blocks
};
MESHGAUGE_NAMES(Bound, "latency", "link", "switch", "host_path", "nic", "spine");

struct CollectivePrice {
  Seconds seconds{};
  Seconds latency{};   ///< what an empty message takes
  Seconds transfer{};  ///< bytes over the ceiling; the rest of `seconds` is lost between the two
  Bound bound = Bound::latency;
  std::optional<Choice> choice;  ///< empty where another vendor's library decides
};

/// `bytes` in the sense of nccl-tests: the whole buffer of all-reduce, the output of all-gather, the input of
/// reduce-scatter, what one rank sends in all-to-all, the message of send_recv. Groups of the same kind are taken to
/// run on all GPUs at once, as they do in a step: each has the network rate of its own members.
[[nodiscard]] CollectivePrice price_collective(const Profile&, const Cluster&, Collective, double bytes, Route);

/// The seconds alone. Where the profile holds measured times of this group, or of one near it, they have the last word.
[[nodiscard]] Seconds collective_time(const Profile&, const Cluster&, Collective, double bytes, Route);

/// What the profile's rates alone say, the network left to this collective: what measured tables stand beside.
[[nodiscard]] Seconds modelled_time(const Profile&, const Cluster&, Collective, double bytes, Route);

/// What nine of ten measurements were over the prediction, at least and at most.
struct TimeRange {
  double low = 1, high = 1;
};
[[nodiscard]] TimeRange collective_range(Collective, double bytes, Route);
/// On a measured curve that of its points, wider by a tenth for each octave beyond them; elsewhere the above.
[[nodiscard]] TimeRange collective_range(const Profile&, Collective, double bytes, Route);

}  // namespace meshgauge
