// A log as lines: one pass, without copies unless a line holds escape sequences of a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace meshgauge {

struct Line {
  std::int64_t number = 0;  ///< from 1
  std::string_view text;    ///< without line break, carriage returns at its end and escape sequences
  bool whole = false;       ///< a line break ended it; without one its last word may be cut
};

/// `text` of a line is valid until the next one is asked for.
class Lines {
 public:
  explicit Lines(std::string_view text);
  [[nodiscard]] bool next(Line&);

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
  std::string cleaned_;
};

/// The next word, taken off `rest`; empty at the end. Bars of Markdown tables count as blanks.
[[nodiscard]] std::string_view next_word(std::string_view& rest);

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '|' || c == '\v' || c == '\f'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}
[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
/// What follows the first `words` in `text`; nothing (data() is null) if they are not there.
[[nodiscard]] inline std::string_view after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + words.size());
}
[[nodiscard]] std::string_view trimmed(std::string_view);
/// Without what launchers and log collectors put in front: "[1,0]<stdout>:", "0: ", "[pod/worker-0] ", a time.
[[nodiscard]] std::string_view without_prefix(std::string_view line);

}  // namespace meshgauge
