// Reading one JSON value strictly: of the type asked for, or a sentence on what it is and what is allowed.
#include "core/io/read_value.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// Integers up to here survive the way through a double.
constexpr double largest_exact = 9007199254740992.0;

std::string kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "a boolean";
  if (value.is_string()) return "a string";
  if (value.is_array()) return "a list";
  return value.is_object() ? "an object" : "a number";
}

std::string mismatch(const Json& value, std::string_view name, const std::string& expected) {
  std::string message = std::string(name) + " is " + shown(value);
  if (!value.is_null() && !value.is_array() && !value.is_object()) message += ", " + kind_of(value);
  message += ". Expected: " + expected + '.';
  if (value.is_null()) message += " Leave the field out for its default.";
  return message;
}

std::string number_expected(const FieldText& text, std::string_view kind) {
  std::string expected(kind);
  if (text.ranged()) expected += ", " + range_text(text);
  return expected;
}

/// A hint for numbers in quotes.
std::string unquote_hint(const Json& value) {
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  const bool numeric =
      !text.empty() && text.size() < 24 && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  return numeric ? " Write " + text + " without quotes." : std::string{};
}

}  // namespace

void report_more_items(std::string_view name, const std::string& path, std::size_t count, Reading& reading) {
  reading.issues.push_back({path, "The other " + number_text(static_cast<std::int64_t>(count)) + " items of " +
                                      std::string(name) + " are not looked at."});
}

std::string shown(const Json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_array()) return "a list of " + number_text(static_cast<std::int64_t>(value.size()));
  if (value.is_object()) return "an object";
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_number_unsigned()) return number_text(value.get<double>());
  if (value.is_number_integer()) return number_text(value.get<std::int64_t>());
  return value.is_null() ? "null" : value.get<bool>() ? "true" : "false";
}

std::optional<double> read_number(const Json& value, const FieldText& text, const std::string& path, Reading& reading) {
  if (value.is_number()) return value.get<double>();
  reading.fail(path, mismatch(value, text.key, number_expected(text, "a number")) + unquote_hint(value));
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const Json& value, const FieldText& text, const std::string& path,
                                         Reading& reading) {
  if (!value.is_number()) {
    reading.fail(path, mismatch(value, text.key, number_expected(text, "a whole number")) + unquote_hint(value));
    return std::nullopt;
  }
  const auto number = value.get<double>();
  if (number != std::floor(number)) {
    reading.fail(path, std::string(text.key) + " is " + shown(value) +
                           ". Expected: " + number_expected(text, "a whole number") + '.');
    return std::nullopt;
  }
  if (!(number >= -largest_exact && number <= largest_exact)) {
    reading.fail(path, range_message(text, number_text(number)));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

namespace {

template <class Number>
std::optional<Number> within(std::optional<Number> number, const FieldText& text, const std::string& path,
                             Reading& reading) {
  if (!number || in_range(text, static_cast<double>(*number))) return number;
  reading.fail(path, range_message(text, number_text(*number)));
  return std::nullopt;
}

}  // namespace

std::optional<double> number_in_range(const Json& value, const FieldText& text, const std::string& path,
                                      Reading& reading) {
  return within(read_number(value, text, path, reading), text, path, reading);
}

std::optional<std::int64_t> integer_in_range(const Json& value, const FieldText& text, const std::string& path,
                                             Reading& reading) {
  return within(read_integer(value, text, path, reading), text, path, reading);
}

std::optional<std::vector<std::int64_t>> read_integers(const Json& value, const FieldText& text,
                                                       const std::string& path, Reading& reading) {
  if (!value.is_array()) {
    reading.fail(path, mismatch(value, text.key, "a list of whole numbers"));
    return std::nullopt;
  }
  std::vector<std::int64_t> numbers;
  const bool good = read_items(value.size(), text.key, path, reading, [&](std::size_t i, const std::string& at) {
    const auto number = integer_in_range(value[i], text, at, reading);
    if (number) numbers.push_back(*number);
    return number.has_value();
  });
  if (!good) return std::nullopt;
  return numbers;
}

std::optional<bool> read_boolean(const Json& value, const FieldText& text, const std::string& path, Reading& reading) {
  if (value.is_boolean()) return value.get<bool>();
  reading.fail(path, mismatch(value, text.key, "true or false"));
  return std::nullopt;
}

std::optional<std::string> read_string(const Json& value, const FieldText& text, const std::string& path,
                                       Reading& reading) {
  if (value.is_string()) return value.get<std::string>();
  reading.fail(path, mismatch(value, text.key, "a string"));
  return std::nullopt;
}

std::optional<std::size_t> read_choice(const Json& value, const FieldText& text,
                                       std::span<const std::string_view> options, const std::string& path,
                                       Reading& reading) {
  if (!value.is_string()) {
    reading.fail(path, mismatch(value, text.key, "one of " + list_text(options)));
    return std::nullopt;
  }
  const auto& word = value.get_ref<const std::string&>();
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == word) return i;
  }
  reading.fail(path, std::string(text.key) + " is " + in_quotes(word) + ". Allowed: " + list_text(options) + '.' +
                         did_you_mean(word, options));
  return std::nullopt;
}

bool expect_object(const Json& value, std::string_view name, const std::string& path, Reading& reading) {
  if (value.is_object()) return true;
  const bool root = path.empty() && value.is_null();  // nobody can leave it out
  reading.fail(path, root ? std::string(name) + " is null. Expected: an object." : mismatch(value, name, "an object"));
  return false;
}

std::optional<std::int64_t> count_at(const Json& object, const FieldText& field, std::string_view parent,
                                     Reading& reading) {
  const auto value = object.find(field.key);
  if (value == object.end()) return std::nullopt;
  return integer_in_range(*value, field, child_path(parent, field.key), reading);
}

void report_unknown(std::string_view key, std::string_view parent, std::span<const std::string_view> known,
                    std::string_view elsewhere, Reading& reading) {
  const std::string path = child_path(parent, key);
  // Past the cap nothing is shown, so no time is spent on finding the nearest name.
  if (reading.issues.size() > most_issues) return reading.issues.push_back({path, {}});
  std::string message = "There is no field " + in_quotes(key) + " here.";
  if (!elsewhere.empty()) {
    message += " It belongs to " + std::string(elsewhere) + '.';
  } else if (const std::string guess = did_you_mean(key, known); !guess.empty()) {
    message += guess;
  } else {
    message += " Allowed: " + list_text(known) + '.';
  }
  reading.issues.push_back({path, std::move(message)});
}

void report_unknown_fields(const Json& object, std::string_view parent, std::span<const std::string_view> known,
                           Reading& reading) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) report_unknown(key, parent, known, {}, reading);
  }
}

}  // namespace meshgauge
