// Colour where a person reads it, and figures as the page writes them.
#include "native/cli/style.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

/// Half up, as the page rounds.
double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::floor(value * unit + 0.5) / unit;
}

std::string scaled_text(double value, double unit, const char* name) {
  const double scaled = value / unit;
  return fmt::format("{:.{}f} {}", scaled,
                     scaled >= 100 || scaled == std::floor(scaled) ? 0
                     : scaled >= 10                                ? 1
                                                                   : 2,
                     name);
}

/// Characters of East Asian scripts take two columns (Unicode 15, EastAsianWidth: W and F, as far as texts here go).
bool is_wide(std::string_view character) {
  if (character.size() != 3) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  const unsigned code = (byte(0) & 0xfU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
  return (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) || (code >= 0xac00 && code < 0xd7a4) ||
         (code >= 0xf900 && code < 0xfb00) || (code >= 0xfe30 && code < 0xfe70) || (code >= 0xff00 && code < 0xff61) ||
         (code >= 0xffe0 && code < 0xffe7);
}

bool closes(std::string_view character) {
  for (const std::string_view mark : {"，", "。", "；", "：", "、", "？", "！", "）", "”", "》"}) {
    if (character == mark) return true;
  }
  return false;
}

/// What stays on one line: a word, or one wide character, with the punctuation that closes it.
std::size_t piece_size(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] != ' ') {
    const std::size_t step = std::max<std::size_t>(utf8_character(text.substr(size)), 1);
    const std::string_view character = text.substr(size, step);
    if (size > 0 && is_wide(character) && !closes(character)) break;
    size += step;
    const std::string_view next = text.substr(size, utf8_character(text.substr(size)));
    if (is_wide(character) && !closes(next)) break;
  }
  return size;
}

}  // namespace

Style Style::of_terminal() {
  const char* const no_color = std::getenv("NO_COLOR");
  return Style(isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0'));
}

std::string Style::operator()(Paint paint, std::string_view text) const {
  if (!coloured_) return std::string(text);
  const char* const code = paint == Paint::ok     ? "1;32"
                           : paint == Paint::no   ? "1;31"
                           : paint == Paint::warn ? "1;33"
                                                  : "1";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string duration_text(double seconds) {
  if (seconds >= 100) return grouped(seconds) + " s";
  if (seconds >= 10) return fmt::format("{:.1f} s", rounded(seconds, 1));
  if (seconds >= 1) return fmt::format("{:.2f} s", rounded(seconds, 2));
  const double ms = seconds * 1e3;
  return fmt::format("{:.{}f} ms", ms, ms >= 100 || ms == 0 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

std::string gib_text(double bytes, int decimals) {
  return fmt::format("{:.{}f}", rounded(bytes / 1073741824.0, decimals), decimals);
}

std::string size_text(double bytes) {
  if (bytes >= 1073741824.0) return scaled_text(bytes, 1073741824.0, "GiB");
  if (bytes >= 1048576.0) return scaled_text(bytes, 1048576.0, "MiB");
  if (bytes >= 1024.0) return scaled_text(bytes, 1024.0, "KiB");
  return fmt::format("{:.0f} B", bytes);
}

std::string count_text(double count) {
  if (count >= 1e12) return scaled_text(count, 1e12, "T");
  if (count >= 1e9) return scaled_text(count, 1e9, "B");
  if (count >= 1e6) return scaled_text(count, 1e6, "M");
  return grouped(count);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", rounded(share * 100, 1)); }

std::string grouped(double value) { return number_text(std::floor(value + 0.5)); }

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(utf8_character(text), 1);
    columns += is_wide(text.substr(0, size)) ? 2 : 1;
    text.remove_prefix(size);
  }
  return columns;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  constexpr std::size_t width = 80;
  std::string out;
  std::size_t column = used;
  bool line_start = true;
  while (!text.empty()) {
    const bool spaced = !line_start && text[0] == ' ';
    if (text[0] == ' ') text.remove_prefix(1);
    const std::string_view word = text.substr(0, piece_size(text));
    text.remove_prefix(word.size());
    const std::size_t columns = columns_of(word);
    if (!line_start && column + (spaced ? 1 : 0) + columns > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (spaced) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
    line_start = false;
  }
  return out;
}

}  // namespace meshgauge::cli
