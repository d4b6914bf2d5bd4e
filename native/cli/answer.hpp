// Asking the core, and what its answers have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/issue.hpp"

namespace meshgauge::cli {

/// One line of JSON; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string as_text(const nlohmann::ordered_json&);

/// The core's answer, whether it took the request or not.
[[nodiscard]] nlohmann::ordered_json ask(const nlohmann::ordered_json& request);

/// `{"ok": false, "issues": [{"path", "message"}]}`
[[nodiscard]] nlohmann::ordered_json refusal(const Issues&);

/// The problems of a refusal.
[[nodiscard]] Issues issues_in(const nlohmann::ordered_json& answer);

}  // namespace meshgauge::cli
