// The command `estimate`.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "native/cli/command.hpp"
#include "native/cli/estimate_report.hpp"
#include "native/cli/files.hpp"
#include "native/cli/scenario_answer.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"
#include "native/cli/trace.hpp"

namespace meshgauge::cli {
using Json = nlohmann::ordered_json;

int run_estimate(std::span<const std::string> arguments) {
  CLI::App app("Memory and step time of a training job.", "meshgauge estimate");
  ScenarioInput input;
  bool explain = false;
  bool json = false;
  bool timeline = false;
  std::string trace;
  add_scenario_flags(app, input);
  app.add_flag("--explain", explain, "Prints formula, values and source of each line.");
  CLI::Option* as_json = app.add_flag("--json", json, "Prints the answer as JSON.");
  app.add_flag("--timeline", timeline, "Adds to the JSON what each stage does when.")->needs(as_json);
  app.add_option("--trace", trace, "Writes what each stage does when to a file for ui.perfetto.dev.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Json request{{"command", "estimate"}};
  if (timeline || !trace.empty()) request["timeline"] = true;
  ScenarioAnswer asked = ask_about_scenario(std::move(request), input, parsed, json);
  if (!asked.answer) return asked.status;
  Json& answer = *asked.answer;
  std::string& text = asked.text;
  if (!trace.empty()) {
    const Issues issues = write_text(trace, trace_text(answer));
    if (!issues.empty()) return refuse(issues, json);
  }
  if (!timeline && answer["step"].erase("timeline") > 0) text = answer.dump();
  const int status = answer["fits"].get<bool>() ? done : answer_is_no;
  return print(json ? text + '\n' : estimate_report(answer, explain, Style::of_terminal()), status);
}

}  // namespace meshgauge::cli
