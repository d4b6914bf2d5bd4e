// Numbers as people write them: 4096, 8k, 1.4T, 1e12, 128 K.
#include "native/cli/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace meshgauge::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> factor_of(std::string_view suffix, Scale scale) {
  if (suffix.empty()) return 1;
  if (suffix == "万") return 1e4;
  if (suffix == "亿") return 1e8;
  if (suffix == "万亿") return 1e12;
  if (suffix.size() != 1) return std::nullopt;
  switch (suffix[0]) {
    case 'k':
    case 'K':
      return scale == Scale::sequence ? 1024 : 1e3;
    case 'm':
    case 'M':
      return scale == Scale::sequence ? 1048576 : 1e6;
    case 'b':
    case 'B':
    case 'g':
    case 'G':
      return 1e9;
    case 't':
    case 'T':
      return 1e12;
    default:
      return std::nullopt;
  }
}

/// Drops the separators of digit groups: "1,000,000", "5_000".
std::string without_separators(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between_digits = i > 0 && i + 1 < text.size() && text[i - 1] >= '0' && text[i - 1] <= '9' &&
                                text[i + 1] >= '0' && text[i + 1] <= '9';
    if ((text[i] == ',' || text[i] == '_') && between_digits) continue;
    digits += text[i];
  }
  return digits;
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Scale scale) {
  const std::string plain = without_separators(trimmed(text));
  const char* begin = plain.data();
  const char* const end = begin + plain.size();
  if (begin != end && *begin == '+') ++begin;
  double number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const auto factor = factor_of(trimmed({rest, static_cast<std::size_t>(end - rest)}), scale);
  if (!factor || !std::isfinite(number * *factor)) return std::nullopt;
  return number * *factor;
}

std::optional<double> parse_duration(std::string_view text, double unit) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr auto units = std::to_array<Unit>({{"s", 1},
                                              {"sec", 1},
                                              {"second", 1},
                                              {"min", 60},
                                              {"minute", 60},
                                              {"h", 3600},
                                              {"hour", 3600},
                                              {"d", 86400},
                                              {"day", 86400},
                                              {"w", 604800},
                                              {"week", 604800},
                                              {"小时", 3600},
                                              {"天", 86400},
                                              {"周", 604800}});
  text = trimmed(text);
  std::size_t end = text.size();
  while (end > 0 && !(text[end - 1] >= '0' && text[end - 1] <= '9') && text[end - 1] != '.') --end;
  std::string_view name = trimmed(text.substr(end));
  if (!name.empty()) {
    if (name.size() > 3 && name.back() == 's') name.remove_suffix(1);
    const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    if (found == units.end()) return std::nullopt;
    unit = found->seconds;
  }
  const std::optional<double> number = parse_quantity(text.substr(0, end), Scale::count);
  if (!number) return std::nullopt;
  return *number * unit;
}

std::optional<double> parse_share(std::string_view text) {
  text = trimmed(text);
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const std::optional<double> number = parse_quantity(text, Scale::count);
  if (!number) return std::nullopt;
  return percent ? *number / 100 : *number;
}

std::optional<double> parse_bytes(std::string_view text) {
  struct Unit {
    const char* name;
    double bytes;
  };
  constexpr auto units = std::to_array<Unit>(
      {{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}, {"TiB", 1099511627776.0}, {"GB", 1e9}, {"MB", 1e6}});
  for (const Unit& unit : units) {
    const std::string_view name = unit.name;
    if (text.size() <= name.size() || text.substr(text.size() - name.size()) != name) continue;
    std::string_view number = text.substr(0, text.size() - name.size());
    while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
    const auto value = parse_quantity(number, Scale::count);
    return value ? std::optional(*value * unit.bytes) : std::nullopt;
  }
  return parse_quantity(text, Scale::count);
}

}  // namespace meshgauge::cli
