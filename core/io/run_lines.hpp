// Files of JSON Lines, a measured run a line.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "core/io/named_texts.hpp"

namespace meshgauge {

/// Hands over each line that is not blank, parsed, with its number. What is wrong with its JSON, and what `read` says,
/// is said with file and line; after a hundred such the file is no file of runs, and no more is read.
[[nodiscard]] Issues read_run_lines(
    const NamedText& file, const std::function<Issues(const nlohmann::ordered_json&, std::int64_t line)>& read);

}  // namespace meshgauge
