// Settings of a configuration file, and the syntaxes they are written in.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace meshgauge {

/// A number written as it is: "3.0e-4" is one in JSON, YAML 1.1 and TOML alike.
struct Literal {
  std::string text;
};

struct Setting;
using Settings = std::vector<Setting>;

struct Setting {
  std::string key;
  std::variant<bool, std::int64_t, Literal, std::string, Settings> value;
  std::string comment = {};  ///< where the syntax has comments
};

[[nodiscard]] std::string to_json(const Settings&);
/// Nested mappings, two spaces a level.
[[nodiscard]] std::string to_yaml(const Settings&);
/// Sections are tables; nested ones have dotted names.
[[nodiscard]] std::string to_toml(const Settings&);
/// Constants of a module, in capitals already.
[[nodiscard]] std::string to_python(const Settings&);

/// A fraction as a literal, six digits: 0.125 is "0.125", 1e9 is "1.0e+09".
[[nodiscard]] Literal literal(double value);

}  // namespace meshgauge
