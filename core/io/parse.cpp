// JSON text to values in bounded time and memory: every problem with line, column or path, and no exception.
#include "core/io/parse.hpp"

#include <algorithm>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string location(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  std::string_view rest = before.substr(line_start);
  if (line == 1 && rest.substr(0, byte_order_mark.size()) == byte_order_mark)
    rest.remove_prefix(byte_order_mark.size());
  std::int64_t column = 1;
  for (const char c : rest) column += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;  // characters, not bytes
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Where the nesting first exceeds the limit. Knows strings, and nothing else of the grammar.
std::optional<std::size_t> too_deep_at(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

/// Where a byte stands that no text has: the start of no UTF-8 character, or a NUL, which nlohmann takes for the end.
std::optional<std::size_t> no_text_at(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t size = byte < 0x80 ? (byte == 0 ? 0 : 1) : utf8_character(text.substr(i, 4));
    if (size == 0) return i;
    i += size;
  }
  return std::nullopt;
}

std::string no_text_message(std::string_view text, std::size_t offset) {
  const std::string head = location(text, offset) + ": met " + in_quotes(text.substr(offset, 1));
  return head + (text[offset] == '\0' ? ", a NUL byte. " : ", which is not UTF-8. ") +
         "Save the document as UTF-8 text.";
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}

/// The word or character at `offset`, as much of it as is worth showing.
std::string_view token_at(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  if (rest.empty()) return rest;
  std::size_t size = 0;
  while (size < rest.size() && is_word(rest[size])) ++size;
  return rest.substr(0, size > 0 ? size : std::max<std::size_t>(utf8_character(rest), 1));
}

/// What the parser waited for, read from nlohmann/json's description of a syntax error.
std::string expectation(std::string_view what) {
  const auto contains = [&](std::string_view part) { return what.find(part) != std::string_view::npos; };
  if (contains("missing closing quote")) return "the string has no closing quote";
  if (contains("control character")) return "a control character in a string must be escaped";
  if (contains("invalid string: forbidden character after backslash")) return "there is no such escape";
  if (contains("invalid string")) return "the escape of a character is incomplete";
  if (contains("invalid number")) return "the number is incomplete";
  if (contains("invalid BOM")) return "a value was expected";
  if (contains("; expected end of input")) return "the document had ended before it";
  if (contains("while parsing object key")) return "a key in double quotes was expected";
  if (contains("while parsing object separator")) return "':' was expected";
  if (contains("while parsing array -") && contains("expected ']'")) return "',' or ']' was expected";
  if (contains("while parsing object -") && contains("expected '}'")) return "',' or '}' was expected";
  return "a value was expected";
}

std::string hint(std::string_view token) {
  if (token == "NaN" || token == "nan" || token == "Infinity" || token == "-Infinity" || token == "inf" ||
      token == "-inf") {
    return " Numbers must be finite.";
  }
  if (token == "True" || token == "False" || token == "None") return " JSON writes true, false, null.";
  if (token == "'") return " Strings take double quotes.";
  if (token == "/" || token == "#") return " JSON has no comments.";
  return {};
}

/// Builds the value while it looks for duplicate keys. nlohmann's own builder would search each object for each key.
class Builder {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    level.repeats = !level.keys.insert(name).second;
    if (level.repeats && issues_.size() <= most_issues && level.told.insert(name).second) {
      issues_.push_back({child_path(here(levels_.size() - 1), name), in_quotes(name) + " is given twice. Keep one."});
    }
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token, const nlohmann::detail::exception& error) {
    const std::string_view what = error.what();
    if (error.id == 406) {  // number overflow
      const std::size_t end = std::min(position, text_.size());
      std::size_t begin = end;
      while (begin > 0 && is_word(text_[begin - 1])) --begin;
      return fail(location(text_, begin) + ": " + shortened(text_.substr(begin, end - begin)) +
                  " is too large. Numbers go up to 1.8e+308.");
    }
    const bool at_end = what.find("unexpected end of input") != std::string_view::npos || position > text_.size();
    if (at_end) return fail(location(text_, text_.size()) + ": the text ends here, and " + expectation(what) + '.');
    // `position` counts the bytes read, the offending one included. Words and strings are quoted from their start.
    std::size_t begin = position == 0 ? 0 : position - 1;
    std::string_view token;
    if (last_token.size() >= 2 && last_token.front() == '"' && last_token.back() == '"' &&
        last_token.size() <= position && what.find("unexpected string") != std::string_view::npos) {
      begin = position - last_token.size();
      token = text_.substr(begin + 1, last_token.size() - 2);
    } else {
      if (begin > 0 && what.find("invalid literal") != std::string_view::npos && !is_word(text_[begin]) &&
          is_word(text_[begin - 1])) {
        --begin;
      }
      if (is_word(text_[begin])) {
        while (begin > 0 && is_word(text_[begin - 1])) --begin;
      }
      token = token_at(text_, begin);
    }
    return fail(location(text_, begin) + ": met " + in_quotes(token) + ", and " + expectation(what) + '.' +
                hint(token));
  }

  [[nodiscard]] Result<Json> take() && {
    Result<Json> result(std::move(issues_));
    if (!failed_) result.value = std::move(root_);
    return result;
  }

 private:
  struct Level {
    Json* container = nullptr;
    std::string key;
    std::set<std::string> keys;
    std::set<std::string> told{};  ///< keys of which it is said that they repeat
    bool repeats = false;          ///< the value that comes belongs to a key that has one
  };

  /// Path of the container at `depth`.
  [[nodiscard]] std::string here(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) {
      const Level& level = levels_[i];
      if (level.container->is_object()) {
        path = child_path(path, level.key);
      } else {
        path += '/';
        path += std::to_string(level.container->size() - 1);
      }
    }
    return path;
  }

  /// Adds to the open container and returns where the value lies; nullptr if there are too many.
  Json* place(Json value) {
    if (++values_ > most_values) {
      fail("The document has more values than are read. Allowed: up to " +
           number_text(static_cast<std::int64_t>(most_values)) + '.');
      return nullptr;
    }
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.container->is_array()) {
      level.container->push_back(std::move(value));
      return &level.container->back();
    }
    if (level.repeats) return &repeated_.emplace_back(std::move(value));
    // The container below ordered_json's objects is a vector; appending to it searches nothing.
    auto& members = level.container->get_ref<Json::object_t&>();
    static_cast<Json::object_t::Container&>(members).emplace_back(level.key, std::move(value));
    return &members.back().second;
  }
  bool put(Json value) { return place(std::move(value)) != nullptr; }
  bool open(Json container) {
    Json* const placed = place(std::move(container));
    if (placed != nullptr) levels_.push_back({.container = placed, .key = {}, .keys = {}});
    return placed != nullptr;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  bool fail(std::string message) {
    issues_.insert(issues_.begin(), Issue{"", std::move(message)});
    failed_ = true;
    return false;
  }

  std::string_view text_;
  Json root_;
  std::list<Json> repeated_;  ///< values that nothing reads
  std::vector<Level> levels_;
  std::size_t values_ = 0;
  Issues issues_;
  bool failed_ = false;
};

}  // namespace

std::string too_large_message(std::size_t size) {
  return "The document has " + number_text(static_cast<std::int64_t>(size)) + " bytes. Allowed: up to " +
         number_text(static_cast<std::int64_t>(largest_document)) + " (4 MiB).";
}

std::string child_path(std::string_view parent, std::string_view key) {
  std::string path = std::string(parent) + '/';
  for (const char c : shortened(key)) {
    if (c == '~') {
      path += "~0";
    } else if (c == '/') {
      path += "~1";
    } else {
      path += c;
    }
  }
  return path;
}

Issues capped(Issues issues) {
  if (issues.size() <= most_issues) return issues;
  const std::size_t rest = issues.size() - most_issues;
  issues.resize(most_issues);
  issues.push_back(
      {"", "And " + number_text(static_cast<std::int64_t>(rest)) + (rest == 1 ? " more problem." : " more problems.")});
  return issues;
}

Result<nlohmann::ordered_json> parse_json(std::string_view text) {
  if (text.size() > largest_document) return Issues{{"", too_large_message(text.size())}};
  if (const auto offset = no_text_at(text)) return Issues{{"", no_text_message(text, *offset)}};
  if (const auto offset = too_deep_at(text)) {
    return Issues{{"", location(text, *offset) + ": nested deeper than " + std::to_string(deepest_nesting) +
                           " levels, which is the limit."}};
  }
  Builder builder(text);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).take();
}

}  // namespace meshgauge
