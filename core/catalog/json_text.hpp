// Values of a JSON object, read out of its text where they stand. For the catalog's own lines only: they are valid JSON
// by test, and a parser would be half of the code that the catalog takes in a browser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshgauge {

/// A value as text; empty stands for a value that is not there.
struct JsonText {
  std::string_view text;

  [[nodiscard]] bool absent() const { return text.empty(); }
  /// The member of an object.
  [[nodiscard]] JsonText at(std::string_view key) const;
  /// A number without exponent, exact as far as it has up to 15 digits.
  [[nodiscard]] double number(double otherwise = 0) const;
  [[nodiscard]] std::int64_t whole(std::int64_t otherwise = 0) const;
  [[nodiscard]] bool flag(bool otherwise = false) const;
  /// A string without its quotes, \" and \\ resolved.
  [[nodiscard]] std::string string() const;

  /// Calls `visit(JsonText)` for each element of an array.
  template <class Visit>
  void for_each(Visit visit) const {
    if (!text.starts_with('[')) return;
    std::string_view rest = text.substr(1);
    for (JsonText element = take_value(rest); !element.absent(); element = take_value(rest)) visit(element);
  }

 private:
  /// The next value, cut off the front of `rest` with the comma, colon and blanks around it.
  static JsonText take_value(std::string_view& rest);
};

}  // namespace meshgauge
