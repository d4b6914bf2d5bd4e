// What a file measured, whatever tool wrote it: recognised by content.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/calibrate/import/importer.hpp"

namespace meshgauge {

/// Reads a log or a results file. `known` fills what the file does not say.
[[nodiscard]] Imported import_text(std::string_view text, const KnownPlace& known = {});

}  // namespace meshgauge
