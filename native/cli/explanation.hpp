// Why each line of a ledger is what it is: formula, numbers, source.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// Every line of a stage, those that are not alive at its peak included.
[[nodiscard]] std::string explanation(const nlohmann::ordered_json& stage, const Style&);

/// How each transfer of a rank runs: algorithm, protocol, channels, and what one message is made of.
[[nodiscard]] std::string traffic_explanation(const nlohmann::ordered_json& traffic, std::int64_t stage, const Style&);

/// The formula of a ledger line with numbers in the places of symbols: "w * P" -> "2 * 6,738,415,616".
[[nodiscard]] std::string substituted(const std::string& formula, const nlohmann::ordered_json& values);

}  // namespace meshgauge::cli
