// A plan as tables for a terminal of 80 columns: the best layouts, why, what was left out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what api() gave to plan.
[[nodiscard]] std::string plan_report(const nlohmann::ordered_json& answer, const Style&);

}  // namespace meshgauge::cli
