// What a file measured, whatever tool wrote it: recognised by content. For files of any length: what does not fit into
// a request is handed over beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/calibrate/import/importer.hpp"
#include "core/io/named_texts.hpp"
#include "core/io/read_value.hpp"
#include "core/issue.hpp"

namespace meshgauge {

/// Reads a log or a results file. `known` fills what the file does not say.
[[nodiscard]] Imported import_text(std::string_view text, const KnownPlace& known = {});

/// The answer that {"command": "import", "files": ..., "place": place} gives. `place` is an object, or null.
[[nodiscard]] Result<nlohmann::ordered_json> import_files(std::span<const NamedText> files,
                                                          const nlohmann::ordered_json& place);

/// {"gpu", "ranks", "ranks_per_node", "gpus_per_node", "library", "cpu", "operation"}, each optional.
[[nodiscard]] KnownPlace read_place(const nlohmann::ordered_json& place, const std::string& path, Reading&);

}  // namespace meshgauge
