// Spellings of names and the distance between them.
#include "core/catalog/names.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

constexpr std::size_t longest_name = 80;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }
char canonical(char c) { return c == '_' || c == ' ' ? '-' : lower(c); }

std::string canonical(std::string_view name) {
  std::string text;
  for (const char c : name) text += canonical(c);
  return text;
}

bool is_noise(std::string_view word, std::span<const std::string_view> noise) {
  const bool four_digits = word.size() == 4 && std::all_of(word.begin(), word.end(), is_digit);
  return std::find(noise.begin(), noise.end(), four_digits ? "####" : word) != noise.end();
}

std::string without_noise(std::string_view name, std::span<const std::string_view> noise) {
  std::string kept;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('-'), name.size());
    const std::string_view word = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (word.empty() || is_noise(word, noise)) continue;
    if (!kept.empty()) kept += '-';
    kept += word;
  }
  return kept;
}

/// Each run of letters and each run of digits.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = '-';
  for (const char c : name) {
    if (is_alphanumeric(c)) {
      if (!is_alphanumeric(before) || is_digit(before) != is_digit(c)) words.emplace_back();
      words.back() += lower(c);
    }
    before = c;
  }
  return words;
}

}  // namespace

std::string letters_and_digits(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (is_alphanumeric(c)) text += lower(c);
  }
  return text;
}

WordPlace place_of_words(std::string_view name, std::string_view known) {
  const std::vector<std::string> sought = words_of(name);
  const std::vector<std::string> words = words_of(known);
  if (sought.empty()) return WordPlace::none;
  const auto found = std::search(words.begin(), words.end(), sought.begin(), sought.end());
  if (found == words.end()) return WordPlace::none;
  return found == words.begin() ? WordPlace::start : WordPlace::inside;
}

std::vector<std::string> spellings(std::string_view name, std::span<const std::string_view> noise) {
  if (name.size() > longest_name) return {};
  const std::string written = canonical(name);
  const std::string bare = written.substr(written.find_last_of('/') + 1);
  return {written, bare, without_noise(bare, noise)};
}

bool same_name(std::string_view spelling, std::string_view known) {
  return std::equal(spelling.begin(), spelling.end(), known.begin(), known.end(),
                    [](char a, char b) { return canonical(a) == canonical(b); });
}

std::size_t name_distance(std::string_view first, std::string_view second, std::size_t limit) {
  const std::string a = letters_and_digits(first);
  const std::string b = letters_and_digits(second);
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace meshgauge
