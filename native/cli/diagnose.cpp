// The command `diagnose`.
#include "core/io/diagnose.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/diagnosis_report.hpp"
#include "native/cli/files.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_log = std::size_t{64} << 20U;  ///< bytes

bool describes_job(const ScenarioInput& input) {
  return !input.document.empty() || !input.sets.empty() ||
         std::any_of(input.values.begin(), input.values.end(), [](const auto& value) { return value.has_value(); });
}

/// Paths of issues are those of the scenario, as `estimate` gives them.
Issues of_flags(Issues issues) {
  for (Issue& issue : issues) {
    if (issue.path == "/text" || issue.path == "/scenario") issue.path.clear();
  }
  return issues;
}

}  // namespace

int run_diagnose(std::span<const std::string> arguments) {
  CLI::App app("Why a job ran out of memory, or what is wrong by NCCL's own log, and what would help.",
               "meshgauge diagnose");
  std::vector<std::string> paths;
  ScenarioInput input;
  bool json = false;
  app.add_option("LOG", paths,
                 "Files that hold PyTorch's message, or what NCCL_DEBUG=INFO prints, of one or of many ranks; - for "
                 "standard input.");
  add_scenario_flags(app, input, "--scenario");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  const bool standard_input = std::find(paths.begin(), paths.end(), "-") != paths.end();
  if (standard_input && input.document == "-") {
    return refuse({{"", "LOG and --scenario are both standard input. Name a file for one of them."}}, json);
  }
  Json request = Json::object();
  ScenarioRequestText filled;
  if (describes_job(input)) filled = fill_request(input, request);
  Issues issues = at_paths(parsed.bad, filled);
  issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
  if (paths.empty()) {
    issues.push_back({"",
                      "No text is given. Name a file that holds PyTorch's or NCCL's messages, or - for standard "
                      "input."});
  }
  if (!issues.empty()) return refuse(issues, json, filled.flags);
  const Result<std::vector<std::string>> logs = read_texts(paths, largest_log);
  if (!logs.ok()) return refuse(logs.issues, json);
  const std::vector<NamedText> files = named_texts(paths, *logs.value);
  const Result<Json> answer = diagnose_files(files, request);
  if (!answer.ok()) return refuse(of_flags(answer.issues), json, filled.flags);
  return print(json ? as_text(*answer.value) + '\n' : diagnosis_report(*answer.value, Style::of_terminal()), done);
}

}  // namespace meshgauge::cli
