// A matrix of figures from GPU to GPU, as nvbandwidth and p2pBandwidthLatencyTest print it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/calibrate/import/decimal.hpp"

namespace meshgauge {

/// "     0      1      2": the numbers of the columns in order, behind at most `names` words; 0 if it is no such line.
[[nodiscard]] inline std::size_t columns_of_matrix(std::string_view line, int names) {
  std::string_view rest = line;
  std::string_view word = next_word(rest);
  for (int i = 0; i < names && !word.empty() && !is_digit(word.front()); ++i) word = next_word(rest);
  std::int64_t next = 0;
  for (; !word.empty(); word = next_word(rest)) {
    const auto number = count_of(word);
    if (!number || *number != next) return 0;
    ++next;
  }
  return static_cast<std::size_t>(next);
}

/// "  3  22.24  22.42  22.25  N/A": figures of row 3, nothing where there is none. No value if the line is no row of
/// `columns` figures. Without a line break the last figure may be cut, and is none.
[[nodiscard]] inline std::optional<std::vector<std::optional<double>>> row_of_matrix(std::string_view line,
                                                                                     std::size_t columns,
                                                                                     std::size_t row, bool whole) {
  std::string_view rest = line;
  const auto number = count_of(next_word(rest));
  if (!number || *number != static_cast<std::int64_t>(row)) return std::nullopt;
  std::vector<std::optional<double>> figures;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    const auto value = decimal_of(word);
    if (!value && word != "N/A") return std::nullopt;
    figures.push_back(value && value->value > 0 ? std::optional(value->value) : std::nullopt);
  }
  if (figures.size() != columns || columns == 0) return std::nullopt;
  if (!whole) figures.back().reset();
  return figures;
}

}  // namespace meshgauge
