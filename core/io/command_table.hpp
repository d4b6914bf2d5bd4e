// Which commands the door answers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

struct Command {
  std::string_view name;
  Result<nlohmann::ordered_json> (*answer)(const nlohmann::ordered_json& request);
};

/// All of them, unless the program links a table of its own: a page that asks for few stays small.
[[nodiscard]] std::span<const Command> command_table();

}  // namespace meshgauge
