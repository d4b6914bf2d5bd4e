// The command `calibrate` for files of any length.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/io/import.hpp"
#include "core/issue.hpp"

namespace meshgauge {

/// The answer that {"command": "calibrate", "files": [{"name", "text"}], ...} gives: `request` has everything but the
/// files. A file is a log or a results file, whatever tool wrote it; runs of one's own come as JSON Lines like those of
/// `validate`. `profile` in the answer is the document to keep.
[[nodiscard]] Result<nlohmann::ordered_json> calibrate_files(std::span<const NamedText> files,
                                                             const nlohmann::ordered_json& request);

/// Tokens of a step of a scenario document, padding left out: what turns tokens per second into step time.
[[nodiscard]] Result<double> tokens_per_step(const nlohmann::ordered_json& scenario);

}  // namespace meshgauge
