// Reading input files and writing answers, with the words that a failure takes.
#pragma once

#include <string>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge::cli {

/// The text of a file, of standard input for "-". Stops reading past the size that a document may have.
[[nodiscard]] Result<std::string> read_text(const std::string& path);

/// False if standard output did not take everything.
[[nodiscard]] bool write_output(std::string_view text);

}  // namespace meshgauge::cli
