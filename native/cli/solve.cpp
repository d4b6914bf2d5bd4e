// The command `solve`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/quantity.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string solution_report(const Json& answer, const Style& style) {
  std::string out = wrapped(answer["text"].get<std::string>(), 2) + '\n';
  const Json& found = answer["answer"];
  if (found.is_null()) return style(Paint::no, "No.") + ' ' + out;
  if (found.contains("parameters")) {
    out += fmt::format("{} parameters.\n", count_text(found["parameters"].get<double>()));
  }
  const Json& plan = found["plan"];
  out += wrapped(fmt::format("{} a step, {} of the peak: {}", duration_text(plan["step_seconds"].get<double>()),
                             percent_text(plan["mfu"].get<double>()), plan["layout"].get<std::string>()),
                 2) +
         '\n';
  if (found.contains("days")) out += fmt::format("{:.1f} days of training.\n", found["days"].get<double>());
  return out;
}

}  // namespace

int run_solve(std::span<const std::string> arguments) {
  CLI::App app("The largest or least value for which a layout fits, or is good enough.", "meshgauge solve");
  ScenarioInput input;
  std::string unknown, days, mfu, surety;
  bool json = false;
  add_scenario_flags(app, input);
  app.add_option(
      "--for", unknown,
      "max-seq, max-micro-batch, min-gpus, max-params (layers of this width), deadline (cheapest cluster) or "
      "min-global-batch.");
  app.add_option("--days", days, "For deadline: the run's days.");
  app.add_option("--mfu", mfu, "For min-global-batch: the share of the peak to reach, such as 40%.");
  app.add_option("--fit-probability", surety, "Least chance to fit, 50% to 99%. Default: 95%.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Json request{{"command", "solve"}};
  ScenarioRequestText filled = fill_request(input, request);
  Issues issues = at_paths(parsed.bad, filled);
  issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
  if (!unknown.empty()) request["for"] = unknown;
  const auto number = [](const std::optional<double>& value, const std::string& text) {
    return value ? Json(*value) : Json(text);
  };
  if (!days.empty()) request["days"] = number(parse_quantity(days, Scale::count), days);
  if (!mfu.empty()) request["mfu"] = number(parse_share(mfu), mfu);
  if (!surety.empty()) request["fit_probability"] = number(parse_share(surety), surety);
  if (!issues.empty()) return refuse(issues, json, filled.flags);
  const Json answer = ask(request);
  if (!answer["ok"].get<bool>()) {
    if (json) return print(as_text(answer) + '\n', bad_input);
    return refuse(issues_in(answer), json, filled.flags);
  }
  const int status = answer["solved"].get<bool>() ? done : answer_is_no;
  return print(json ? as_text(answer) + '\n' : solution_report(answer, Style::of_terminal()), status);
}

}  // namespace meshgauge::cli
