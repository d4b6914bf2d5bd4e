// JSON text to values in bounded time and memory: every problem with line, column or path, and no exception.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

inline constexpr std::size_t largest_document = std::size_t{4} << 20U;  ///< bytes
inline constexpr int deepest_nesting = 64;
inline constexpr std::size_t most_values = std::size_t{1} << 18U;  ///< of one document, nested ones included
inline constexpr std::size_t most_issues = 100;                    ///< of one document; the rest is counted

/// Stricter than the grammar: no duplicate keys, no numbers that a double cannot hold. Keys keep their order. A key
/// that is given twice keeps its first value: there is a value then, and an issue for each repetition.
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(std::string_view text);

/// What is said of a document of `size` bytes that is over the limit.
[[nodiscard]] std::string too_large_message(std::size_t size);

/// `parent` + "/" + `key`, the key shortened and escaped (RFC 6901).
[[nodiscard]] std::string child_path(std::string_view parent, std::string_view key);

/// The first hundred, and a line that counts the others.
[[nodiscard]] Issues capped(Issues);

}  // namespace meshgauge
