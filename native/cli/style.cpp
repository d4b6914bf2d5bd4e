// Colour where a person reads it, and figures as the page writes them.
#include "native/cli/style.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  constexpr std::size_t width = 80;
  std::string out;
  std::size_t column = used;
  bool line_start = true;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    std::size_t letters = 0;
    for (const char c : word) letters += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
    if (!line_start && column + 1 + letters > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!line_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += letters;
    line_start = false;
  }
  return out;
}

}  // namespace meshgauge::cli
