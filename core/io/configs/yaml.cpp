// The part of YAML 1.1 that configurations of accelerate use.
#include <string>
#include <vector>

#include "core/io/configs/syntax.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_levels = 8;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Without the comment, which begins after a blank outside of quotes.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

/// A mapping that is open. Members of ordered_json lie in a vector, which grows only while no mapping in it is open.
struct Level {
  std::size_t indent;
  Json* mapping;
};

class Reader {
 public:
  void read(std::string_view line, std::size_t number) {
    number_ = number;
    line = without_comment(line);
    const std::string_view content = trimmed(line);
    if (content.empty() || content == "---") return;
    const std::size_t indent = line.find_first_not_of(' ');
    if (line[indent] == '\t') return fail("is indented with a tab. Use blanks");
    if (content.starts_with("- ") || content == "-") return add_item(content.substr(1), indent);
    const std::size_t colon = end_of_key(content);
    if (colon == std::string_view::npos) return fail("is no \"key: value\"");
    add_entry(trimmed(content.substr(0, colon)), trimmed(content.substr(colon + 1)), indent);
  }

  Result<Json> take() && {
    if (!issues_.empty()) return std::move(issues_);
    return {std::move(root_)};
  }

 private:
  void fail(const std::string& what) { issues_.push_back({"", "line " + std::to_string(number_) + ' ' + what + '.'}); }

  static std::size_t end_of_key(std::string_view content) {
    for (std::size_t i = 0; i < content.size(); ++i) {
      if (content[i] == ':' && (i + 1 == content.size() || content[i + 1] == ' ')) return i;
    }
    return std::string_view::npos;
  }

  /// Closes the mappings that end before this indentation; false if it fits none of those that are open.
  bool place(std::size_t indent) {
    if (opening_ != nullptr && indent > levels_.back().indent) {
      if (levels_.size() == most_levels) {
        fail("is nested too deeply");
        return false;
      }
      *opening_ = Json::object();
      levels_.push_back({indent, opening_});
    }
    opening_ = nullptr;
    while (levels_.size() > 1 && levels_.back().indent > indent) levels_.pop_back();
    if (levels_.back().indent == indent) return true;
    fail("is indented like nothing before it");
    return false;
  }

  void add_entry(std::string_view key, std::string_view value, std::size_t indent) {
    if (!place(indent)) return;
    const Json name = scalar(key);
    const std::string text = name.is_string() ? name.get<std::string>() : std::string(key);
    Json& mapping = *levels_.back().mapping;
    if (mapping.contains(text)) return fail("repeats the key " + in_quotes(text));
    mapping[text] = scalar(value);
    list_ = nullptr;
    if (value.empty()) {
      opening_ = list_ = &(*levels_.back().mapping)[text];
      list_indent_ = indent;
    }
  }

  void add_item(std::string_view value, std::size_t indent) {
    if (list_ == nullptr || indent < list_indent_ || (!list_->is_null() && !list_->is_array())) {
      return fail("is a list item without a key before it");
    }
    if (end_of_key(trimmed(value)) != std::string_view::npos) return fail("is a mapping in a list, which is not read");
    opening_ = nullptr;
    if (list_->is_null()) *list_ = Json::array();
    list_->push_back(scalar(trimmed(value)));
  }

  Json scalar(std::string_view text) {
    if (text.empty()) return nullptr;
    const char first = text.front();
    if (first == '"' || first == '\'') {
      if (text.size() < 2 || text.back() != first) {
        fail("has an open quote");
        return nullptr;
      }
      const Json word = scalar_of(text.substr(1, text.size() - 2));
      return word.is_string() ? word : Json(std::string(text.substr(1, text.size() - 2)));
    }
    if (first == '[') return flow_list(text);
    if (text == "{}") return Json::object();
    if (std::string_view("{&*!|>%@`").find(first) != std::string_view::npos) {
      fail("has a value that begins with " + std::string(1, first) + ", which is not read");
      return nullptr;
    }
    // YAML 1.1 takes these for truth values (PyYAML resolver.py).
    for (const std::string_view yes : {"yes", "Yes", "on", "On"}) {
      if (text == yes) return true;
    }
    for (const std::string_view no : {"no", "No", "off", "Off"}) {
      if (text == no) return false;
    }
    return scalar_of(text);
  }

  Json flow_list(std::string_view text) {
    Json list = Json::array();
    if (text.back() != ']') {
      fail("has a list that does not end on it");
      return list;
    }
    text = trimmed(text.substr(1, text.size() - 2));
    while (!text.empty()) {
      const std::string_view item = text.substr(0, text.find(','));
      if (item.find('[') != std::string_view::npos) {
        fail("has a list in a list, which is not read");
        return list;
      }
      list.push_back(scalar(trimmed(item)));
      text.remove_prefix(item.size() == text.size() ? item.size() : item.size() + 1);
    }
    return list;
  }

  Json root_ = Json::object();
  std::vector<Level> levels_ = {{0, &root_}};
  Json* opening_ = nullptr;  ///< value of the last key, if it had none on its line
  Json* list_ = nullptr;     ///< the same for list items
  std::size_t list_indent_ = 0;
  std::size_t number_ = 0;
  Issues issues_;
};

}  // namespace

Result<Json> parse_yaml(std::string_view text) {
  Reader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    reader.read(line, number);
  }
  return std::move(reader).take();
}

}  // namespace meshgauge
