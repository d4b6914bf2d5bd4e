// One message of a collective: seconds with their range, bus bandwidth, and what the library chose.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/engine/collective.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"

namespace meshgauge {

struct CollectivePrice;

/// Adds algorithm, protocol, channels, seconds of a message and what bounds them.
void write_message(const CollectivePrice&, nlohmann::ordered_json&);
/// A message of one size by itself. Bus bandwidth as nccl-tests prints it (doc/PERFORMANCE.md).
[[nodiscard]] nlohmann::ordered_json write_point(const Profile&, const Cluster&, Collective, double bytes, Route);

}  // namespace meshgauge
