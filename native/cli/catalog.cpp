// The commands `catalog` and `describe`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/api.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/handbook_report.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return number_text(value.get<double>());
  return value.dump();
}

/// "key  value" lines; nested objects indented.
std::string entry_report(const Json& entry, std::size_t indent) {
  std::string out;
  for (const auto& [key, value] : entry.items()) {
    const std::string head = std::string(indent, ' ') + key;
    if (key == "figures" && value.is_array()) {
      out += head + '\n' + figure_table(value);
    } else if (value.is_object() && !value.empty()) {
      out += head + '\n' + entry_report(value, indent + 2);
    } else {
      const std::string text = value.is_string() ? text_of(value) : value.dump();
      out += fmt::format("{:<24}  {}\n", head, wrapped(text, 26, std::max<std::size_t>(head.size(), 24) + 2));
    }
  }
  return out;
}

/// What a list shows of an entry beside its id.
std::string name_of_entry(const Json& entry) {
  if (entry.contains("name")) return text_of(entry["name"]);
  if (entry.contains("title"))
    return text_of(entry["title"].is_object() ? entry["title"].value("en", Json("")) : entry["title"]);
  return {};
}

std::string list_report(const Json& entries) {
  std::size_t width = 0;
  for (const Json& entry : entries) width = std::max(width, text_of(entry["id"]).size());
  std::string out;
  for (const Json& entry : entries)
    out += fmt::format("{:<{}}  {}\n", text_of(entry["id"]), width, name_of_entry(entry));
  return out;
}

std::string fields_report(const Json& description) {
  std::string out;
  for (const Json& field : description["fields"]) {
    std::string range;
    if (!field["min"].is_null()) range = fmt::format(", {} to {}", text_of(field["min"]), text_of(field["max"]));
    if (!field["unit"].is_null()) range += ' ' + text_of(field["unit"]);
    out += fmt::format("{}  ({}{})\n", text_of(field["path"]), text_of(field["type"]), range);
    out += "    " + wrapped(text_of(field["help"]), 4, 4) + '\n';
    std::string options;
    for (const Json& option : field["options"]) options += (options.empty() ? "" : ", ") + text_of(option);
    if (!options.empty()) out += "    " + wrapped("One of " + options + '.', 4, 4) + '\n';
    out += "    " + wrapped("Default: " + text_of(field["default"]) + '.', 4, 4) + '\n';
  }
  return out;
}

int answer_with(const Json& request, const Parsed& parsed, bool json, std::string (*report)(const Json&)) {
  const std::string text = api(as_text(request));
  const Json answer = Json::parse(text);
  const bool ok = answer["ok"].get<bool>();
  if (parsed.bad.empty() && json) return print(text + '\n', ok ? done : bad_input);
  if (parsed.bad.empty() && ok) return print(report(answer), done);
  Issues issues = issues_of(parsed.bad);
  if (!ok) {
    for (Issue& issue : issues_in(answer)) {
      issues.push_back({json ? std::move(issue.path) : "", std::move(issue.message)});
    }
  }
  return refuse(issues, json);
}

std::string catalog_report(const Json& answer) {
  return answer.contains("entry") ? entry_report(answer["entry"], 0) : list_report(answer["entries"]);
}

}  // namespace

int run_catalog(std::span<const std::string> arguments) {
  CLI::App app("Models, GPUs, systems and handbook cases.", "meshgauge catalog");
  std::string kind;
  std::string id;
  bool json = false;
  app.add_option("KIND", kind, "models, gpus, systems or handbook.");
  app.add_option("ID", id, "One entry, with everything known of it.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  Json request{{"command", "catalog"}};
  if (!kind.empty()) request["kind"] = kind;
  if (!id.empty()) request["id"] = id;
  return answer_with(request, parsed, json, catalog_report);
}

int run_describe(std::span<const std::string> arguments) {
  CLI::App app("Every field of a scenario.", "meshgauge describe");
  bool json = false;
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  return answer_with({{"command", "describe"}}, parsed, json, fields_report);
}

}  // namespace meshgauge::cli
