// Configurations of other programs, read into a scenario.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "core/issue.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

enum class ConfigKind { deepspeed, accelerate, megatron, training_arguments };
MESHGAUGE_NAMES(ConfigKind, "deepspeed", "accelerate", "megatron", "training_arguments");

/// By its content; nothing if it looks like none of them.
[[nodiscard]] std::optional<ConfigKind> recognise_config(std::string_view text);

/// The answer to {"command": "read_config", "text": text}: the scenario, and what became of each setting. `known` is
/// what else is known of the scenario; it wins. Any bytes give an answer or issues.
[[nodiscard]] Result<nlohmann::ordered_json> read_config(std::string_view text, ConfigKind,
                                                         const nlohmann::ordered_json& known);

}  // namespace meshgauge
