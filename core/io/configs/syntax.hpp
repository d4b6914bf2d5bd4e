// The syntaxes that configurations of other programs are written in, read to JSON values.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/issue.hpp"

namespace meshgauge {

/// The part of YAML 1.1 that accelerate writes: mappings in mappings, scalars (plain, quoted), lists of scalars as
/// `- x` or `[x, y]`, comments, one document. Anchors, tags, block texts and mappings in lists are issues with their
/// line.
[[nodiscard]] Result<nlohmann::ordered_json> parse_yaml(std::string_view text);

/// The options of a command line, or of a shell script that holds one: `--name value...` from every word of the text,
/// with line continuations, quotes, comments and arrays. Variables that the text itself sets are put in. Several values
/// are a list, none is true. What comes before the first option is left out.
[[nodiscard]] Result<nlohmann::ordered_json> parse_options(std::string_view text);

/// The arguments of the first call in a Python text, or its `name = value` lines. Values are literals; anything else is
/// kept as its text in {"expression": "..."}.
[[nodiscard]] Result<nlohmann::ordered_json> parse_python_arguments(std::string_view text);

/// A word as the value that it looks like: true, 8, 3e-4, "text". Numbers of other forms stay words.
[[nodiscard]] nlohmann::ordered_json scalar_of(std::string_view word);

}  // namespace meshgauge
