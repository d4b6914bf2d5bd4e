// The command `validate` for files of any length: what does not fit into a request is read line by line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

/// A file of JSON Lines: one run a line, as read_run.hpp describes it.
struct RunLines {
  std::string name;
  std::string_view text;
};

/// The answer that the request {"command": "validate"} gives for the same runs. `profile` is a document, or null.
[[nodiscard]] Result<nlohmann::ordered_json> validate_lines(std::span<const RunLines> files,
                                                            const nlohmann::ordered_json& profile);

}  // namespace meshgauge
