// A whole search in one call, and layouts back and forth.
#pragma once

#include "core/price/profile.hpp"
#include "core/search/found.hpp"

namespace meshgauge {

[[nodiscard]] Found search(const LayoutQuestion&, const Profile&);

/// The layout of a scenario; without its cost.
[[nodiscard]] Candidate candidate_of(const Scenario&);

/// The scenario of a layout, as an estimate would fill it in.
[[nodiscard]] Scenario scenario_of(const ScenarioRequest&, const Candidate&);

}  // namespace meshgauge
