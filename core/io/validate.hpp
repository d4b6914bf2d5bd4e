// The command `validate` for files of any length: what does not fit into a request is read line by line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/io/named_texts.hpp"
#include "core/issue.hpp"

namespace meshgauge {

/// The answer that the request {"command": "validate"} gives for the same runs: files of JSON Lines, one run a line, as
/// read_run.hpp describes it. `profile` is a document, or null.
[[nodiscard]] Result<nlohmann::ordered_json> validate_lines(std::span<const NamedText> files,
                                                            const nlohmann::ordered_json& profile);

}  // namespace meshgauge
