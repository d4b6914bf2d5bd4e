// Settings of a configuration file, and the syntaxes they are written in.
#include "core/launch/settings.hpp"

#include <string_view>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

enum class Syntax { json, yaml, toml, python };

/// Names of models and words of ours: printable, escaped alike in the four syntaxes.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string scalar(const Setting& setting, Syntax syntax) {
  if (const auto* flag = std::get_if<bool>(&setting.value)) {
    if (syntax == Syntax::python) return *flag ? "True" : "False";
    return *flag ? "true" : "false";
  }
  if (const auto* number = std::get_if<std::int64_t>(&setting.value)) return std::to_string(*number);
  if (const auto* literal = std::get_if<Literal>(&setting.value)) return literal->text;
  return quoted(std::get<std::string>(setting.value));
}

std::string comment_of(const Setting& setting) { return setting.comment.empty() ? "" : "  # " + setting.comment; }

void add_json(const Settings& settings, const std::string& indent, std::string& out) {
  out += "{\n";
  for (std::size_t i = 0; i < settings.size(); ++i) {
    out += indent + "  " + quoted(settings[i].key) + ": ";
    if (const auto* section = std::get_if<Settings>(&settings[i].value)) {
      add_json(*section, indent + "  ", out);
    } else {
      out += scalar(settings[i], Syntax::json);
    }
    out += i + 1 < settings.size() ? ",\n" : "\n";
  }
  out += indent + '}';
}

void add_yaml(const Settings& settings, const std::string& indent, std::string& out) {
  for (const Setting& setting : settings) {
    if (const auto* section = std::get_if<Settings>(&setting.value)) {
      out += indent + setting.key + ':' + comment_of(setting) + '\n';
      add_yaml(*section, indent + "  ", out);
    } else {
      out += indent + setting.key + ": " + scalar(setting, Syntax::yaml) + comment_of(setting) + '\n';
    }
  }
}

void add_toml(const Settings& settings, const std::string& name, std::string& out) {
  for (const Setting& setting : settings) {
    if (std::holds_alternative<Settings>(setting.value)) continue;
    out += setting.key + " = " + scalar(setting, Syntax::toml) + comment_of(setting) + '\n';
  }
  for (const Setting& setting : settings) {
    const auto* section = std::get_if<Settings>(&setting.value);
    if (section == nullptr) continue;
    const std::string path = (name.empty() ? "" : name + '.') + setting.key;
    out += (out.empty() ? "" : "\n") + ('[' + path + ']') + comment_of(setting) + '\n';
    add_toml(*section, path, out);
  }
}

}  // namespace

std::string to_json(const Settings& settings) {
  std::string out;
  add_json(settings, "", out);
  return out + '\n';
}

std::string to_yaml(const Settings& settings) {
  std::string out;
  add_yaml(settings, "", out);
  return out;
}

std::string to_toml(const Settings& settings) {
  std::string out;
  add_toml(settings, "", out);
  return out;
}

std::string to_python(const Settings& settings) {
  std::string out;
  for (const Setting& setting : settings) {
    out += setting.key + " = " + scalar(setting, Syntax::python) + comment_of(setting) + '\n';
  }
  return out;
}

Literal literal(double value) {
  std::string text = number_text(value);
  std::string plain;
  for (const char c : text) {
    if (c != ',') plain += c;
  }
  const std::size_t exponent = plain.find('e');
  if (plain.find('.') == std::string::npos) plain.insert(exponent == std::string::npos ? plain.size() : exponent, ".0");
  return {plain};
}

}  // namespace meshgauge
