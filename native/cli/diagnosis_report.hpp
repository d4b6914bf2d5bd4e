// A diagnosis for a terminal of 80 columns: requests and their tensors, what held the device, what would help.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what diagnose_files() gave.
[[nodiscard]] std::string diagnosis_report(const nlohmann::ordered_json& answer, const Style&);

}  // namespace meshgauge::cli
