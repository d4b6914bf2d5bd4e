// A judged claim as tables for a terminal of 80 columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what api() gave. `explain` adds formula, values and source of each figure.
[[nodiscard]] std::string check_report(const nlohmann::ordered_json& answer, bool explain, const Style&);

}  // namespace meshgauge::cli
