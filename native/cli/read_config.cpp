// The command `read_config`, and the words with which other commands take a configuration as their scenario.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "native/cli/command.hpp"
#include "native/cli/config_input.hpp"
#include "native/cli/scenario_answer.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string list(const Json& entries, const char* title, const char* reason) {
  if (entries.empty()) return {};
  std::string out = fmt::format("\n{}\n", title);
  for (const Json& entry : entries) {
    std::string line = entry["key"].get<std::string>() + " = " + entry["value"].dump();
    if (entry.contains("field")) {
      line += entry["field"].is_null() ? ": " + entry["says"].get<std::string>()
                                       : ": " + entry["field"].get<std::string>() + " = " + entry["says"].dump();
    } else if (!entry[reason].get<std::string>().empty()) {
      line += ": " + entry[reason].get<std::string>();
    }
    out += "  " + wrapped(line, 4, 2) + '\n';
  }
  return out;
}

std::string config_report(const Json& answer) {
  std::string out = fmt::format("Read as a configuration of {}\n", answer["kind"].get<std::string>());
  out += list(answer["used"], "Used", "says");
  out += list(answer["irrelevant"], "Without effect here", "why");
  out += list(answer["not_understood"], "Not understood", "why");
  for (const Json& warning : answer["warnings"]) {
    out += '\n' + wrapped(warning["path"].get<std::string>() + ": " + warning["message"].get<std::string>(), 4) + '\n';
  }
  return out + "\nScenario\n" + answer["scenario"].dump(2) + '\n';
}

}  // namespace

int run_read_config(std::span<const std::string> arguments) {
  CLI::App app("What a configuration of another program says, as a scenario.", "meshgauge read_config");
  ScenarioInput input;
  std::string kind;
  bool json = false;
  add_scenario_flags(app, input, "CONFIG");
  app.add_option("--kind", kind,
                 "deepspeed, accelerate, megatron or training_arguments. Default: told by the content.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  const Result<std::string> text = config_text(input.document);
  if (!text.ok()) return refuse(text.issues, json);
  input.document.clear();
  Json request{{"command", "read_config"}, {"text", *text.value}};
  if (!kind.empty()) request["kind"] = kind;
  const ScenarioAnswer asked = ask_about_scenario(std::move(request), input, parsed, json);
  if (!asked.answer) return asked.status;
  return print(json ? asked.text + '\n' : config_report(*asked.answer), done);
}

}  // namespace meshgauge::cli
