// How people write the names of models and machines, and which known name an unknown one is nearest to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshgauge {

/// The ways to look a name up, the most literal first: as written ("Qwen/Qwen2.5-7B-Instruct"), without the owner,
/// without the words that say nothing of the shape ("-Instruct", "NVIDIA "). Lower case, words joined by '-'.
/// The noise word "####" stands for four digits, a release date as in "-2407".
[[nodiscard]] std::vector<std::string> spellings(std::string_view name, std::span<const std::string_view> noise);

/// True for equal names; case and '_' or ' ' instead of '-' do not matter.
[[nodiscard]] bool same_name(std::string_view spelling, std::string_view known);

/// The letters and digits of a name, in lower case: "llama3-8b" and "LLaMA-3 8B" have the same.
[[nodiscard]] std::string letters_and_digits(std::string_view name);

/// Where the words of `name` stand in `known`, one after the other: runs of letters and runs of digits are words, so
/// that "llama3" is two of the words of "llama-3-8b" and none of "llama-33b" but its first.
enum class WordPlace { none, inside, start };
[[nodiscard]] WordPlace place_of_words(std::string_view name, std::string_view known);

/// How far two names are apart: insertions, deletions and replacements among letters and digits (Levenshtein). Beyond
/// `limit` the answer is any number larger than it.
[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace meshgauge
