#include "core/io/run_lines.hpp"

#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// The last part of a path, in a form that any terminal can show.
std::string file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return path == "-" ? "standard input" : shortened(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

Issues read_run_lines(const NamedText& file,
                      const std::function<Issues(const nlohmann::ordered_json&, std::int64_t line)>& read) {
  constexpr std::string_view first_line = "line 1, ";  // the parser sees a single line, which it calls the first
  Issues issues;
  std::string_view rest = file.text;
  for (std::int64_t line = 1; !rest.empty() && issues.size() < most_issues; ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (blank(text)) continue;
    const Result<nlohmann::ordered_json> document = parse_json(text);
    Issues found = document.issues;
    if (document.ok() && found.empty()) found = read(*document.value, line);
    for (Issue& issue : found) {
      std::string& message = issue.message;
      if (message.rfind(first_line, 0) == 0) message.erase(0, first_line.size());
      issues.push_back({issue.path, file_name(file.name) + ": line " + std::to_string(line) + ": " + message});
    }
  }
  return issues;
}

}  // namespace meshgauge
