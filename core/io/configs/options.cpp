// Options out of a command line or a shell script.
#include <map>
#include <string>
#include <vector>

#include "core/io/configs/syntax.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_word = 65536;  // of substitutions in substitutions

struct Word {
  std::string text;
  bool begins = false;  ///< a command, or what follows an array: no option before it takes it as a value
};

/// Cuts a text into words, as a shell would: quotes, backslashes, comments. Array parentheses and operators end words.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::vector<Word> take() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' && word_.empty() && !open_) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        escape();
      } else if (c == '\'' || c == '"') {
        quote(c);
      } else if (c == '$') {
        substitute();
      } else if (std::string_view(" \t\r\n;|&()<>").find(c) != std::string_view::npos) {
        finish();
        begins_ = begins_ || std::string_view(";|&)").find(c) != std::string_view::npos;
        ++at_;
      } else {
        add(c);
        ++at_;
      }
    }
    finish();
    return std::move(words_);
  }

 private:
  void add(char c) {
    open_ = true;
    if (word_.size() < longest_word) word_ += c;
  }
  void add(const std::string& text) {
    open_ = true;
    if (word_.size() + text.size() < longest_word) word_ += text;
  }
  void escape() {
    const char next = text_[at_ + 1];
    at_ += 2;
    if (next == '\r' && at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
    } else if (next != '\n') {  // a line goes on
      add(next);
    }
  }
  void quote(char kind) {
    open_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != kind;) {
      if (kind == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
        escape();
      } else if (kind == '"' && text_[at_] == '$') {
        substitute();
      } else {
        add(text_[at_++]);
      }
    }
    if (at_ < text_.size()) ++at_;
  }
  /// $NAME, ${NAME}, ${NAME:-default}, ${NAME[@]}; what the text does not set stays as it is written.
  void substitute() {
    const std::size_t start = at_++;
    const bool braced = at_ < text_.size() && text_[at_] == '{';
    if (braced) ++at_;
    std::string name;
    while (at_ < text_.size() && is_name(text_[at_])) name += text_[at_++];
    std::string otherwise;
    bool has_otherwise = false;
    if (braced) {
      const std::size_t end = text_.find('}', at_);
      if (end == std::string_view::npos) return add('$');
      const std::string_view rest = text_.substr(at_, end - at_);
      if (rest.starts_with(":-")) {
        otherwise = rest.substr(2);
        has_otherwise = true;
      }
      at_ = end + 1;
    }
    const auto known = variables_.find(name);
    if (known != variables_.end()) {
      add(known->second);
    } else if (has_otherwise) {
      add(otherwise);
    } else {
      add(std::string(text_.substr(start, at_ - start)));
    }
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  void finish() {
    if (!open_) return;
    const std::size_t equals = word_.find('=');
    const bool assigns = equals != std::string::npos && equals > 0 && is_all_name(word_.substr(0, equals));
    if (assigns) {
      variables_[word_.substr(0, equals)] = word_.substr(equals + 1);
    } else if (!word_.empty()) {  // an array stands where it is set, and its expansion for nothing
      words_.push_back({std::move(word_), begins_});
      begins_ = false;
    }
    word_.clear();
    open_ = false;
  }
  static bool is_all_name(const std::string& text) {
    for (const char c : text) {
      if (!is_name(c)) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool open_ = false;  ///< a word has begun, be it empty
  bool begins_ = true;
  std::vector<Word> words_;
  std::map<std::string, std::string> variables_;
};

void add_value(Json& options, const std::string& name, const std::string& word) {
  Json& value = options[name];
  if (value == Json(true)) {
    value = scalar_of(word);
  } else if (value.is_array()) {
    value.push_back(scalar_of(word));
  } else {
    value = Json::array({value, scalar_of(word)});
  }
}

}  // namespace

Result<Json> parse_options(std::string_view text) {
  Json options = Json::object();
  Issues issues;
  std::string name;  // that words belong to
  for (const auto& [word, begins] : Words(text).take()) {
    if (begins) name.clear();
    if (word.size() > 2 && word.compare(0, 2, "--") == 0) {
      // A quoted "--name value" is one word of a shell, and two of the program if it is not quoted again.
      const std::size_t end = word.find_first_of("= ");
      const Json clean = scalar_of(std::string_view{word}.substr(2, end == std::string::npos ? end : end - 2));
      name = clean.is_string() ? clean.get<std::string>() : clean.dump();
      options[name] = true;  // given again, argparse takes the last
      if (end != std::string::npos && end + 1 < word.size()) add_value(options, name, word.substr(end + 1));
    } else if (word.ends_with(".py")) {  // the program, after the launcher's options
      name.clear();
    } else if (!name.empty()) {
      add_value(options, name, word);
    }
  }
  return {std::move(options)};
}

}  // namespace meshgauge
