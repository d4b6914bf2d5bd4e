// The command `diagnose` for texts of any length: what does not fit into a request is handed over beside it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

/// The answer that {"command": "diagnose", "text": text, ...} gives. `request` holds the scenario and the profile, both
/// optional; a scenario of a model alone names the model.
[[nodiscard]] Result<nlohmann::ordered_json> diagnose_text(std::string_view text,
                                                           const nlohmann::ordered_json& request);

}  // namespace meshgauge
