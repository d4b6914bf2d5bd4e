// The command `diagnose` for texts of any length: what does not fit into a request is handed over beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/io/named_texts.hpp"
#include "core/issue.hpp"

namespace meshgauge {

/// The answer that {"command": "diagnose", "files": [{"name", "text"}], ...} gives; of one file the same as "text".
/// `request` holds the scenario and the profile, both optional and of use to out-of-memory messages alone; a scenario
/// of a model alone names the model.
[[nodiscard]] Result<nlohmann::ordered_json> diagnose_files(std::span<const NamedText> files,
                                                            const nlohmann::ordered_json& request);

}  // namespace meshgauge
