#include "core/diagnose/squeeze.hpp"

namespace meshgauge {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of a line break at the head of `text`, also of one that JSON or repr() escaped.
std::size_t line_break(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '\n') return 1;
  return text.substr(0, 2) == "\\n" ? 2 : 0;
}

/// Length of an ANSI colour or cursor sequence.
std::size_t escape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  std::size_t size = 2;
  while (size < text.size() && size < 16 && (is_digit(text[size]) || text[size] == ';' || text[size] == '?')) ++size;
  return size < text.size() ? size + 1 : size;
}

/// Length of a bracketed tag that names a rank or a worker.
std::size_t tag(std::string_view text) {
  constexpr std::size_t longest = 100;
  if (text.empty() || (text[0] != '[' && text[0] != '(')) return 0;
  const std::size_t close = text.substr(0, longest).find(text[0] == '[' ? ']' : ')');
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = text.substr(1, close - 1);
  const bool named =
      inside.rfind("rank", 0) == 0 || inside.rfind("default", 0) == 0 || inside.find("pid=") != std::string_view::npos;
  if (!named) return 0;
  return close + 1 < text.size() && text[close + 1] == ':' ? close + 2 : close + 1;
}

/// "3: " of srun --label.
std::size_t label(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && size < 6 && is_digit(text[size])) ++size;
  return size > 0 && text.substr(size, 2) == ": " ? size + 2 : 0;
}

/// Length of a box rule or a quote mark.
std::size_t mark(std::string_view text) {
  for (const std::string_view rule : {"│", "┃", "|", ">", "#"}) {
    if (text.substr(0, rule.size()) == rule) return rule.size();
  }
  return text.substr(0, 2) == "E " ? 2 : 0;  // pytest
}

std::size_t prefix(std::string_view text) {
  for (const auto part : {escape, tag, label, mark}) {
    if (const std::size_t size = part(text); size > 0) return size;
  }
  return 0;
}

}  // namespace

std::string squeezed(std::string_view text, std::size_t from, std::size_t end, std::size_t most) {
  std::string out;
  const std::string_view part = text.substr(0, end);
  bool line_start = false;
  for (std::size_t i = from; i < part.size() && out.size() < most;) {
    const std::string_view rest = part.substr(i);
    const std::size_t broken = line_break(rest);
    const std::size_t skipped = line_start ? prefix(rest) : escape(rest);
    if (broken > 0) {
      line_start = true;
      i += broken;
    } else if (is_space(rest[0])) {
      ++i;
    } else if (skipped > 0) {
      i += skipped;
    } else if (rest.substr(0, 3) == "│" || rest.substr(0, 3) == "┃") {
      i += 3;  // the right side of a box
    } else {
      line_start = false;
      out += rest[0];
      ++i;
    }
  }
  return out;
}

}  // namespace meshgauge
