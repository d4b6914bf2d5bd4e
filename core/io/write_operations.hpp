// The operations of a layer and of the head in an answer, and the two rates that bound them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Each kind of layer once, of one micro-batch on one rank.
[[nodiscard]] nlohmann::ordered_json write_operations(const Scenario&, const Profile&);

}  // namespace meshgauge
