// The answer to `validate`: per file, per family and overall, and every run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/validate/file_report.hpp"

namespace meshgauge {

[[nodiscard]] nlohmann::ordered_json write_validation(const std::vector<FileReport>&);

}  // namespace meshgauge
