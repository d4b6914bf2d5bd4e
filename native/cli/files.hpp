// Reading input files and writing answers, with the words that a failure takes.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/named_texts.hpp"
#include "core/io/parse.hpp"
#include "core/issue.hpp"

namespace meshgauge::cli {

/// The text of a file, of standard input for "-". Stops reading past `limit` bytes, by default what a document may
/// have.
[[nodiscard]] Result<std::string> read_text(const std::string& path, std::size_t limit = largest_document);

/// The texts of all files, which may have `limit` bytes together, or why some of them could not be read.
[[nodiscard]] Result<std::vector<std::string>> read_texts(std::span<const std::string> paths, std::size_t limit);

/// The texts under the names of their files. They lie in `texts`.
[[nodiscard]] std::vector<NamedText> named_texts(std::span<const std::string> paths,
                                                 std::span<const std::string> texts);

/// A JSON document that `flag` names; messages name the flag.
[[nodiscard]] Result<nlohmann::ordered_json> read_document(const std::string& path, std::string_view flag);

/// Why a file could not be written; empty if it was.
[[nodiscard]] Issues write_text(const std::string& path, std::string_view text);

/// False if standard output did not take everything.
[[nodiscard]] bool write_output(std::string_view text);

}  // namespace meshgauge::cli
