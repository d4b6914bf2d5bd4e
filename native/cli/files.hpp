// Reading input files and writing answers, with the words that a failure takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/io/parse.hpp"
#include "core/issue.hpp"

namespace meshgauge::cli {

/// The text of a file, of standard input for "-". Stops reading past `limit` bytes, by default what a document may
/// have.
[[nodiscard]] Result<std::string> read_text(const std::string& path, std::size_t limit = largest_document);

/// Why a file could not be written; empty if it was.
[[nodiscard]] Issues write_text(const std::string& path, std::string_view text);

/// False if standard output did not take everything.
[[nodiscard]] bool write_output(std::string_view text);

}  // namespace meshgauge::cli
