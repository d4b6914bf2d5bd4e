// Handbook cases: what a textbook says, what follows, and the scenario that shows it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

/// What stands before the id of a case in place of a scenario.
inline constexpr std::string_view handbook_prefix = "handbook:";

/// All cases in order.
[[nodiscard]] nlohmann::ordered_json handbook_cases();
/// One case; an unknown id is an issue at `path` that names the nearest.
[[nodiscard]] Result<nlohmann::ordered_json> find_case(std::string_view id, std::string_view path);

}  // namespace meshgauge
