// Words of messages: input quoted safely, numbers for people, lists, the nearest known word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace meshgauge {

/// Bytes of the UTF-8 character that `text` starts with; 0 where it starts with none (Unicode 15, table 3-7).
[[nodiscard]] std::size_t utf8_character(std::string_view text);

/// The first 40 characters without quotes around them: control characters and bytes that are not UTF-8 are escaped,
/// so that any input can be shown on a terminal.
[[nodiscard]] std::string shortened(std::string_view raw);
/// The same in double quotes.
[[nodiscard]] std::string in_quotes(std::string_view raw);

/// "131,072"
[[nodiscard]] std::string number_text(std::int64_t);
/// Up to six significant digits: "0.5", "131,072", "1.4e+12".
[[nodiscard]] std::string number_text(double);
/// Three significant digits: "23.4 GiB".
[[nodiscard]] std::string gib_text(Bytes);

/// "1, 2, 4" (at most twelve, then "and more").
[[nodiscard]] std::string list_text(std::span<const std::int64_t>);
[[nodiscard]] std::string list_text(std::span<const std::string_view>);

/// Letters that must be put in, left out or changed, capitals aside (Levenshtein).
[[nodiscard]] std::size_t letters_apart(std::string_view a, std::string_view b);
/// The known word that differs from `word` in the fewest letters; empty if none is near.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);
/// ` Did you mean "x"?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace meshgauge
