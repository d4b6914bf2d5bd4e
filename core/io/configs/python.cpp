// Arguments of a call in a Python text.
#include <string>

#include "core/io/configs/syntax.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_levels = 8;

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json arguments() {
    Json object = Json::object();
    while (true) {
      skip();
      while (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ';')) {
        ++at_;
        skip();
      }
      if (at_ >= text_.size() || text_[at_] == ')') return object;
      const std::string_view name = identifier();
      skip();
      const bool assigns = !name.empty() && at_ < text_.size() && text_[at_] == '=';
      if (!assigns) {
        (void)expression();
        if (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ',') ++at_;
        continue;
      }
      ++at_;
      object[std::string(name)] = value(0);
    }
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (std::string_view(" \t\r\n\\").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }
  std::string_view identifier() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  [[nodiscard]] bool at_end() const {
    return at_ >= text_.size() || std::string_view(",)]}:;\n").find(text_[at_]) != std::string_view::npos;
  }
  /// Up to the comma or bracket that ends it.
  std::string_view expression() {
    const std::size_t start = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        const std::size_t end = text_.find(c, at_ + 1);
        if (end == std::string_view::npos) break;
        at_ = end;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        if (depth-- == 0) break;
      } else if (depth == 0 && (c == ',' || c == '\n')) {
        break;
      }
    }
    return text_.substr(start, at_ - start);
  }
  Json value(int level) {
    skip();
    const std::size_t start = at_;
    if (at_ >= text_.size()) return nullptr;
    Json literal;
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      const std::size_t end = text_.find(c, at_ + 1);
      if (end != std::string_view::npos) {
        const Json word = scalar_of(text_.substr(at_ + 1, end - at_ - 1));
        literal = word.is_string() ? word : Json(std::string(text_.substr(at_ + 1, end - at_ - 1)));
        at_ = end + 1;
      }
    } else if (c == '[' || c == '{') {
      if (level < most_levels) literal = c == '[' ? list(level) : dictionary(level);
    } else {
      std::size_t end = at_;
      while (end < text_.size() &&
             (is_name(text_[end]) || text_[end] == '.' || text_[end] == '-' || text_[end] == '+')) {
        ++end;
      }
      literal = scalar_of(text_.substr(at_, end - at_));
      if (literal.is_string()) literal = nullptr;
      at_ = end;
    }
    const bool none = text_.substr(start, at_ - start) == "None";
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') skip();
    if ((!literal.is_null() || none) && (at_end() || text_[at_ - 1] == '\n')) return literal;
    at_ = start;
    const Json word = scalar_of(expression());
    return {{"expression", word.is_string() ? word : Json(word.dump())}};
  }
  Json list(int level) {
    Json items = Json::array();
    for (++at_;;) {
      skip();
      if (at_ >= text_.size()) return nullptr;
      if (text_[at_] == ']') break;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      const std::size_t before = at_;
      items.push_back(value(level + 1));
      if (at_ == before) return nullptr;
    }
    ++at_;
    return items;
  }
  Json dictionary(int level) {
    Json object = Json::object();
    for (++at_;;) {
      skip();
      if (at_ >= text_.size()) return nullptr;
      if (text_[at_] == '}') break;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      const Json key = value(level + 1);
      skip();
      if (!key.is_string() || at_ >= text_.size() || text_[at_] != ':') return nullptr;
      ++at_;
      object[key.get<std::string>()] = value(level + 1);
    }
    ++at_;
    return object;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_python_arguments(std::string_view text) {
  // The call: a name with a parenthesis right behind it. Without one the text holds assignments.
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '(' && is_name(text[i - 1]) &&
        text.substr(0, i).rfind("TrainingArguments") != std::string_view::npos) {
      return {Reader(text.substr(i + 1)).arguments()};
    }
  }
  return {Reader(text).arguments()};
}

}  // namespace meshgauge
