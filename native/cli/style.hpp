// Colour where a person reads it, and figures as the page writes them.
#pragma once

#include <string>
#include <string_view>

namespace meshgauge::cli {

enum class Paint { ok, no, warn, strong };

/// Colours only on a terminal and without NO_COLOR (https://no-color.org).
class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}
  [[nodiscard]] static Style of_terminal();
  [[nodiscard]] std::string operator()(Paint, std::string_view text) const;

 private:
  bool coloured_;
};

/// "15.7 s", "412 ms": no decimal from 100 s, one from 10, two from 1, three digits below.
[[nodiscard]] std::string duration_text(double seconds);
/// "51.52": GiB with `decimals`.
[[nodiscard]] std::string gib_text(double bytes, int decimals);
/// "128 MiB", "1.5 GiB".
[[nodiscard]] std::string size_text(double bytes);
/// "70.6 B", "1.4 T".
[[nodiscard]] std::string count_text(double count);
/// "41.3 %".
[[nodiscard]] std::string percent_text(double share);
/// "1,234".
[[nodiscard]] std::string grouped(double value);

/// Columns of a terminal: a Chinese character takes two.
[[nodiscard]] std::size_t columns_of(std::string_view text);
/// Breaks at spaces and between Chinese characters so that no line is longer than 80; further lines start with `indent`
/// spaces. `used` columns of the first line are taken already.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t used = 0);

}  // namespace meshgauge::cli
