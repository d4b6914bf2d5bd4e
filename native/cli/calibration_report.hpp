// A calibration as tables for a terminal of 80 columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `out`: the file that the profile was written to; empty if it was not.
[[nodiscard]] std::string calibration_report(const nlohmann::ordered_json& answer, const std::string& out,
                                             const Style&);

/// Whether the profile says anything that the defaults do not.
[[nodiscard]] bool learned_something(const nlohmann::ordered_json& answer);

}  // namespace meshgauge::cli
