// Which bus bandwidth is normal, for a terminal of 80 columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what the core's command gave.
[[nodiscard]] std::string band_report(const nlohmann::ordered_json& answer, const Style&);

}  // namespace meshgauge::cli
