// The command `estimate`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/api.hpp"
#include "core/io/parse.hpp"
#include "native/cli/command.hpp"
#include "native/cli/estimate_report.hpp"
#include "native/cli/files.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"
#include "native/cli/trace.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The core's issues, less those of flags of which something was said already. Of a scenario that is not `whole` only
/// what was asked for by flags is judged: the rest is not missing, it could not be read.
void add_issues_of(const Json& answer, const ScenarioRequestText& filled, Issues& issues) {
  const Issues said = issues;
  for (const Json& entry : answer["issues"]) {
    Issue issue{entry["path"].get<std::string>(), entry["message"].get<std::string>()};
    if (issue.path == "/scenario") issue.path.clear();
    const auto inside = [&](const std::string& path) {
      return issue.path.rfind(path, 0) == 0 && (issue.path.size() == path.size() || issue.path[path.size()] == '/');
    };
    const bool asked = std::any_of(filled.flags.begin(), filled.flags.end(),
                                   [&](const FlagOfPath& flag) { return inside(flag.path); });
    const bool known = asked && std::any_of(said.begin(), said.end(), [&](const Issue& other) {
                         return !other.path.empty() && inside(other.path);
                       });
    if (!known && (filled.whole || asked)) issues.push_back(std::move(issue));
  }
}

}  // namespace

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
  ScenarioRequestText filled = fill_request(input, request);
  Issues issues = at_paths(parsed.bad, filled);
  issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
  // Without a document, what an argument that is not understood stood for would be called missing.
  if (!parsed.bad.empty() && input.document.empty()) filled.whole = false;
  std::string text = api(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  Json answer = Json::parse(text);
  const bool ok = answer["ok"].get<bool>();
  if (issues.empty() && ok) {
    if (!trace.empty()) issues = write_text(trace, trace_text(answer));
    if (!issues.empty()) return refuse(issues, json);
    if (!timeline && answer["step"].erase("timeline") > 0) text = answer.dump();
    const int status = answer["fits"].get<bool>() ? done : answer_is_no;
    return print(json ? text + '\n' : estimate_report(answer, explain, Style::of_terminal()), status);
  }
  if (issues.empty() && json) return print(text + '\n', bad_input);
  if (!ok) add_issues_of(answer, filled, issues);
  return refuse(issues, json, filled.flags);
}

}  // namespace meshgauge::cli
