#include "tests/support/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace meshgauge::testing {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, double>& values) : text_(text), values_(values) {}

  double whole() {
    const double result = sum();
    if (peek() != '\0') fail("unexpected character");
    return result;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at " + std::to_string(at_) + " of \"" + std::string(text_) + '"');
  }
  double sum() {
    double left = product();
    for (;;) {
      if (take('+')) {
        left += product();
      } else if (take('-')) {
        left -= product();
      } else {
        return left;
      }
    }
  }
  double product() {
    double left = atom();
    for (;;) {
      if (take('*')) {
        left *= atom();
      } else if (take('/')) {
        left /= atom();
      } else {
        return left;
      }
    }
  }
  double atom() {
    if (take('-')) return -atom();
    if (take('(')) {
      const double inner = sum();
      if (!take(')')) fail("missing )");
      return inner;
    }
    const char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) return symbol();
    fail("expected a value");
  }
  double number() {
    std::size_t used = 0;
    const double value = std::stod(std::string(text_.substr(at_)), &used);
    at_ += used;
    return value;
  }
  double symbol() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      name += text_[at_++];
    }
    if (peek() == '(' && (name == "min" || name == "max" || name == "ceil" || name == "sqrt" || name == "exp"))
      return call(name);
    const auto found = values_.find(name);
    if (found == values_.end()) fail("no value for " + name);
    return found->second;
  }
  double call(const std::string& name) {
    take('(');
    std::vector<double> arguments{sum()};
    while (take(',')) arguments.push_back(sum());
    if (!take(')')) fail("missing )");
    if (name == "ceil") return std::ceil(arguments.at(0));
    if (name == "sqrt") return std::sqrt(arguments.at(0));
    if (name == "exp") return std::exp(arguments.at(0));
    return name == "min" ? *std::min_element(arguments.begin(), arguments.end())
                         : *std::max_element(arguments.begin(), arguments.end());
  }

  std::string_view text_;
  const std::map<std::string, double>& values_;
  std::size_t at_ = 0;
};

}  // namespace

double evaluate_formula(std::string_view formula, const std::map<std::string, double>& values) {
  return Parser(formula, values).whole();
}

}  // namespace meshgauge::testing
