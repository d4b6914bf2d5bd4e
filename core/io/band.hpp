// The command `band` for files of any length.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/io/named_texts.hpp"
#include "core/issue.hpp"

namespace meshgauge {

/// The answer that {"command": "band", "files": ..., "cluster": ..., "place": ...} gives: what logs of collectives
/// measured, beside what is normal. `request` has everything but the files.
[[nodiscard]] Result<nlohmann::ordered_json> band_files(std::span<const NamedText> files,
                                                        const nlohmann::ordered_json& request);

}  // namespace meshgauge
