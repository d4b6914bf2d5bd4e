// The command `estimate`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/api.hpp"
#include "core/io/parse.hpp"
#include "native/cli/command.hpp"
#include "native/cli/estimate_report.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

Issues issues_of(const Json& answer) {
  Issues issues;
  for (const Json& issue : answer["issues"]) {
    issues.push_back({issue["path"].get<std::string>(), issue["message"].get<std::string>()});
  }
  return issues;
}

}  // namespace

int run_estimate(std::span<const std::string> arguments) {
  CLI::App app("Memory and step time of a training job.", "meshgauge estimate");
  ScenarioInput input;
  bool explain = false;
  bool json = false;
  add_scenario_flags(app, input);
  app.add_flag("--explain", explain, "Prints formula, values and source of each line.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  if (const Parsed parsed = parse_arguments(app, arguments, json); !parsed.go_on) return parsed.exit;

  Json request{{"command", "estimate"}};
  const ScenarioRequestText filled = fill_request(input, request);
  if (!filled.issues.empty()) return refuse(filled.issues, json, filled.flags);
  const std::string text = api(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  const Json answer = Json::parse(text);
  if (!answer["ok"].get<bool>()) {
    if (json) return print(text + '\n', bad_input);
    return refuse(issues_of(answer), json, filled.flags);
  }
  const int status = answer["fits"].get<bool>() ? done : answer_is_no;
  return print(json ? text + '\n' : estimate_report(answer, explain, Style::of_terminal()), status);
}

}  // namespace meshgauge::cli
