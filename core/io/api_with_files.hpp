// The door for commands that read files of any length, which lie beside the request instead of inside its text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/io/import.hpp"

namespace meshgauge {

/// `{"command": "import" | "calibrate" | "diagnose" | "band", ...}` without its files; the answer is the one that they
/// would have got inside the request. Never throws.
[[nodiscard]] std::string api_with_files(std::string_view request_json, std::span<const NamedText> files);

}  // namespace meshgauge
