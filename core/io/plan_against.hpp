// Where a given layout stands among all that there are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/io/write_plan.hpp"

namespace meshgauge {

/// The scenario with the layout that is to be compared; nothing if there is none or it cannot be.
[[nodiscard]] std::optional<Scenario> read_against(const PlanQuestion&, Reading&);

/// Its cost, how far it is from the best and why, and how many grids hold something faster.
[[nodiscard]] nlohmann::ordered_json write_against(const PlanQuestion&, const Scenario&, const Plan* best);

}  // namespace meshgauge
