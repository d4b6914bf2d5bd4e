// The sources table of a catalog file.
#include "core/catalog/lines.hpp"

namespace meshgauge {
namespace {

/// The JSON text, without quotes, that the table has under `key`.
std::string_view source_text(std::string_view file, std::string_view key) {
  const std::string line_start = "\n\"" + std::string(key) + "\":\"";
  take_until(file, line_start);
  std::string_view text = take_until(file, "\n");
  if (text.ends_with(',')) text.remove_suffix(1);
  text.remove_suffix(text.empty() ? 0 : 1);
  return text;
}

}  // namespace

std::string expand_sources(std::string_view file, std::string_view json) {
  std::string expanded;
  expanded.reserve(2 * json.size());
  while (!json.empty()) {
    expanded += take_until(json, "{");
    if (json.empty()) break;
    // JSON's own braces are followed by a quote or a brace.
    if (json.front() == '"' || json.front() == '}') {
      expanded += '{';
    } else {
      expanded += source_text(file, take_until(json, "}"));
    }
  }
  return expanded;
}

}  // namespace meshgauge
