// Scanning JSON text for one value.
#include "core/catalog/json_text.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

/// Length of the string literal that `text` starts with, quotes included.
std::size_t string_length(std::string_view text) {
  std::size_t i = 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

/// Length of the value that `text` starts with; 0 at the end of an array or object.
std::size_t value_length(std::string_view text) {
  std::size_t i = 0;
  std::size_t depth = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == ':' || c == ' ' || c == ']' || c == '}')) return i;
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    i += c == '"' ? string_length(text.substr(i)) : 1;
  }
  return i;
}

}  // namespace

JsonText JsonText::take_value(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" ,:"), rest.size()));
  const std::string_view value = rest.substr(0, value_length(rest));
  rest.remove_prefix(value.size());
  return {value};
}

JsonText JsonText::at(std::string_view key) const {
  if (!text.starts_with('{')) return {};
  std::string_view rest = text.substr(1);
  while (true) {
    const JsonText name = take_value(rest);
    const JsonText value = take_value(rest);
    if (name.absent()) return {};
    if (name.text.substr(1, name.text.size() - 2) == key) return value;
  }
}

double JsonText::number(double otherwise) const {
  if (absent()) return otherwise;
  std::int64_t digits = 0;
  double scale = 1;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    digits = 10 * digits + (c - '0');
    if (fraction) scale *= 10;
  }
  return static_cast<double>(digits) / scale * (text.front() == '-' ? -1 : 1);
}

std::int64_t JsonText::whole(std::int64_t otherwise) const {
  return absent() ? otherwise : static_cast<std::int64_t>(number());
}

bool JsonText::flag(bool otherwise) const { return absent() ? otherwise : text == "true"; }

std::string JsonText::string() const {
  std::string plain;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    plain += text[i];
  }
  return plain;
}

}  // namespace meshgauge
