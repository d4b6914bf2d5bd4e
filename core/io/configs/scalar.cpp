// A word of a configuration as the value that it looks like.
#include <string>

#include "core/io/configs/syntax.hpp"
#include "core/io/parse.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {

nlohmann::ordered_json scalar_of(std::string_view word) {
  using Json = nlohmann::ordered_json;
  if (word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "false" || word == "False" || word == "FALSE") return false;
  if (word == "null" || word == "None" || word == "~" || word.empty()) return nullptr;
  const bool numeric = word.size() < 40 && word.find_first_not_of("+-0123456789.eE") == std::string_view::npos &&
                       word.find_first_of("0123456789") != std::string_view::npos;
  if (numeric) {
    const Result<Json> number = parse_json(word);  // JSON's numbers are a part of everybody's
    if (number.ok() && number.issues.empty() && number.value->is_number()) return *number.value;
  }
  std::string text;  // of any bytes: what is no UTF-8 is escaped
  while (!word.empty()) {
    const std::size_t size = utf8_character(word);
    text += size == 0 ? "\\x" : word.substr(0, size);
    word.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

}  // namespace meshgauge
