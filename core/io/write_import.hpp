// What was imported, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/calibrate/measurement.hpp"

namespace meshgauge {

/// {"name", "tool", "runs": [{"tool", "first_line", "place", "questions", "notes", "measurements"}], "unread": [...]}.
/// Amounts that a file does not say are left out; seconds and rates are as read, not rounded.
[[nodiscard]] nlohmann::ordered_json write_imported(const std::string& name, const Imported&);

}  // namespace meshgauge
