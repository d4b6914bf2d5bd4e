// A configuration of another program in the place of a scenario file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/issue.hpp"

namespace meshgauge::cli {

/// The text of a configuration file.
[[nodiscard]] Result<std::string> config_text(const std::string& path);

/// True if the text is no scenario and looks like a configuration.
[[nodiscard]] bool is_config(const std::string& text);

/// The scenario that it says, completed by what is known. Says on standard error what was left out.
[[nodiscard]] Result<nlohmann::ordered_json> scenario_of_config(const std::string& text,
                                                                const nlohmann::ordered_json& known);

}  // namespace meshgauge::cli
