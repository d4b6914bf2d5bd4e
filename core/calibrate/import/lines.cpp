#include "core/calibrate/import/lines.hpp"

namespace meshgauge {
namespace {

constexpr char escape = '\x1b';

/// Where the escape sequence ends that `text` starts with (ECMA-48): colours and cursor moves end with a letter, titles
/// with a bell or another escape.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t i = 2;
  if (text[1] == '[') {
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return i < text.size() ? i + 1 : i;
  }
  if (text[1] == ']') {
    while (i < text.size() && text[i] != '\a' && text[i] != escape) ++i;
    if (i < text.size() && text[i] == escape) ++i;
    return i < text.size() ? i + 1 : i;
  }
  return i;
}

void clean(std::string_view text, std::string& to) {
  to.clear();
  while (!text.empty()) {
    const std::size_t at = text.find(escape);
    to.append(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at);
    text.remove_prefix(sequence_length(text));
  }
}

/// "2026-05-01T12:00:00.1Z", "2026-05-01", "12:00:00,123", "[12:00:00]"
bool is_time(std::string_view word) {
  std::size_t marks = 0, digits = 0;
  for (const char c : word) {
    if (is_digit(c)) {
      ++digits;
    } else if (c == ':' || c == '-' || c == '/') {
      ++marks;
    } else if (c != '.' && c != ',' && c != 'T' && c != 'Z' && c != '+' && c != '[' && c != ']') {
      return false;
    }
  }
  return marks >= 2 && digits >= 6;
}

}  // namespace

Lines::Lines(std::string_view text) : rest_(text) {
  if (starts_with(rest_, "\xef\xbb\xbf")) rest_.remove_prefix(3);  // the mark of UTF-8 editors
}

bool Lines::next(Line& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line.whole = end != std::string_view::npos;
  line.text = rest_.substr(0, end);
  line.number = ++number_;
  rest_.remove_prefix(line.whole ? end + 1 : rest_.size());
  while (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
  if (line.text.find(escape) != std::string_view::npos) {
    clean(line.text, cleaned_);
    line.text = cleaned_;
    while (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
  }
  return true;
}

std::string_view next_word(std::string_view& rest) {
  std::size_t start = 0;
  while (start < rest.size() && is_blank(rest[start])) ++start;
  std::size_t end = start;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(start, end - start);
  rest.remove_prefix(end);
  return word;
}

std::string_view without_prefix(std::string_view line) {
  constexpr int most_prefixes = 5;
  for (int i = 0; i < most_prefixes; ++i) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return line;
    std::string_view rest = line;
    const std::string_view word = next_word(rest);
    const std::size_t stream = word.find(">:");  // <stdout>: with nothing behind it
    if (word.front() == '[' && stream != std::string_view::npos) {
      line.remove_prefix(stream + 2);
    } else if (word.back() == ':' || (word.front() == '[' && word.back() == ']') || is_time(word)) {
      line = rest;
    } else {
      return line;
    }
  }
  return trimmed(line);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace meshgauge
