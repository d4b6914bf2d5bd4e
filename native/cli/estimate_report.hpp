// An estimate as tables for a terminal of 80 columns: verdict, memory, ledger, step, traffic, run, warnings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what api() gave. `explain` adds formula, values and source of each line of the binding stage.
[[nodiscard]] std::string estimate_report(const nlohmann::ordered_json& answer, bool explain, const Style&);

}  // namespace meshgauge::cli
