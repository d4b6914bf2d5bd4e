// An answer as the text that leaves the door.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/issue.hpp"

namespace meshgauge {

/// The answer, or `{"ok": false, "issues": [...]}` if there is any issue: those of the request first.
[[nodiscard]] std::string answer_text(Issues of_request, const Result<nlohmann::ordered_json>& answer);

}  // namespace meshgauge
