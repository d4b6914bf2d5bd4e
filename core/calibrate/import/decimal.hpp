// Numbers as logs print them, with the place of their last digit: what was rounded away is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/calibrate/import/lines.hpp"

namespace meshgauge {

struct Decimal {
  double value = 0;
  double half = 0;  ///< half a unit of the last digit printed

  [[nodiscard]] constexpr double low() const { return value - half; }
  [[nodiscard]] constexpr double high() const { return value + half; }
};

namespace detail {
inline constexpr auto powers_of_ten =
    std::to_array<double>({1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22});  // all exact
}  // namespace detail

/// The number at the head of `text`, taken off it: "12", "-1", "0.05", "2e-07", "1,024" not further than the comma.
/// Products and quotients of exact powers of ten, so that every build reads the same value.
[[nodiscard]] constexpr std::optional<Decimal> take_decimal(std::string_view& text) {
  constexpr std::size_t most_digits = 18;
  std::size_t i = 0;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) ++i;
  std::int64_t digits = 0;
  std::size_t count = 0;
  int exponent = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      if (++count > most_digits) return std::nullopt;
      digits = 10 * digits + (text[i] - '0');
      if (point) --exponent;
    } else if (text[i] == '.' && !point && i + 1 < text.size() && is_digit(text[i + 1])) {
      point = true;
    } else {
      break;
    }
  }
  if (count == 0) return std::nullopt;
  if (i + 2 < text.size() && (text[i] == 'e' || text[i] == 'E') && (text[i + 1] == '+' || text[i + 1] == '-') &&
      is_digit(text[i + 2])) {
    const bool down = text[i + 1] == '-';
    int power = 0;
    for (i += 2; i < text.size() && is_digit(text[i]); ++i) {
      if (power < 1000) power = 10 * power + (text[i] - '0');
    }
    exponent += down ? -power : power;
  }
  if (exponent > 22 || exponent < -22) return std::nullopt;
  const double scale = detail::powers_of_ten[static_cast<std::size_t>(exponent < 0 ? -exponent : exponent)];
  const double magnitude = exponent < 0 ? static_cast<double>(digits) / scale : static_cast<double>(digits) * scale;
  text.remove_prefix(i);
  return Decimal{negative ? -magnitude : magnitude, exponent < 0 ? 0.5 / scale : 0.5 * scale};
}

/// A word that is a number and nothing else.
[[nodiscard]] constexpr std::optional<Decimal> decimal_of(std::string_view word) {
  const std::optional<Decimal> number = take_decimal(word);
  return word.empty() ? number : std::nullopt;
}

/// The whole number without a sign at the head of `text`, taken off it.
[[nodiscard]] constexpr std::optional<std::int64_t> take_count(std::string_view& text) {
  constexpr std::size_t most_digits = 18;
  std::int64_t number = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (i == most_digits) return std::nullopt;
    number = 10 * number + (text[i] - '0');
  }
  if (i == 0) return std::nullopt;
  text.remove_prefix(i);
  return number;
}

[[nodiscard]] constexpr std::optional<std::int64_t> count_of(std::string_view word) {
  const std::optional<std::int64_t> number = take_count(word);
  return word.empty() ? number : std::nullopt;
}

/// The count after the first `words` in `text`, blanks between them aside.
[[nodiscard]] inline std::optional<std::int64_t> count_after(std::string_view text, std::string_view words) {
  std::string_view rest = trimmed(after(text, words));
  return take_count(rest);
}

}  // namespace meshgauge
