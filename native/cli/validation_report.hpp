// A validation as tables for a terminal of 80 columns: per file the families, the runs left out, on request every run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `answer` is what the core gave. `rows` adds each run, the worst first.
[[nodiscard]] std::string validation_report(const nlohmann::ordered_json& answer, bool rows, const Style&);

/// Each median of absolute errors above `limit` ("runs.jsonl: step time 6.1 %"). Where nothing could be compared at all
/// that is said instead: a check of nothing is not passed.
[[nodiscard]] std::vector<std::string> above_requirement(const nlohmann::ordered_json& answer, double limit);

}  // namespace meshgauge::cli
