// The command `plan`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/commands.hpp"
#include "core/io/parse.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/plan_report.hpp"
#include "native/cli/quantity.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Says on standard error how far a long search is, in place on a terminal.
class Progress {
 public:
  void at(double share) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 1) return;
    shown_ = true;
    fmt::print(stderr, "{}searched {:.0f} %{}", terminal_ ? "\r" : "", 100 * share, terminal_ ? "" : "\n");
  }
  Progress() = default;
  ~Progress() {
    if (shown_ && terminal_) fmt::print(stderr, "\r{:20}\r", "");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool terminal_ = isatty(2) != 0, shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The search in slices, so that there is something to say meanwhile; with a budget as far as that goes.
Json search(Json request) {
  constexpr std::int64_t slice = 1000000;  // layouts: some seconds
  const bool limited = request.contains("budget");
  if (!limited) request["budget"] = slice;
  Progress progress;
  Json part = ask(request);
  while (part["ok"].get<bool>() && !limited && !part["complete"].get<bool>()) {
    progress.at(part["decided"].get<double>() / std::max(1.0, part["found"]["counts"]["grids"].get<double>()));
    part = ask({{"command", "plan"}, {"resume", std::move(part)}, {"budget", slice}});
  }
  if (!part["ok"].get<bool>()) return part;
  return ask({{"command", "plan"}, {"merge", Json::array({std::move(part)})}});
}

/// Past the door, whose texts are shorter than the parts of many shards.
Json merge(const Json& request) {
  Result<Json> answer = plan_command(request);
  return answer.ok() ? std::move(*answer.value) : refusal(answer.issues);
}

/// A count as people write it; the text itself where it is none, so that the core says what is allowed.
Json number_or_text(const std::string& text) {
  const std::optional<double> number = parse_quantity(text, Scale::count);
  if (!number) return text;
  return *number == std::floor(*number) && std::abs(*number) < 9e15 ? Json(static_cast<std::int64_t>(*number))
                                                                    : Json(*number);
}

/// "2/8"
bool read_shard(const std::string& text, Json& request) {
  const std::size_t slash = text.find('/');
  const auto whole = [](const std::string& digits) {
    return !digits.empty() && digits.size() < 8 && digits.find_first_not_of("0123456789") == std::string::npos;
  };
  if (slash == std::string::npos || !whole(text.substr(0, slash)) || !whole(text.substr(slash + 1))) return false;
  request["shard"] = {{"index", std::stol(text.substr(0, slash))}, {"count", std::stol(text.substr(slash + 1))}};
  return true;
}

Result<Json> read_parts(const std::vector<std::string>& paths) {
  Json parts = Json::array();
  Issues issues;
  for (const std::string& path : paths) {
    const Result<std::string> text = read_text(path, std::size_t{1} << 28);
    Result<Json> parsed = text.ok() ? parse_json(*text.value) : Result<Json>(Issues(text.issues));
    for (const Issue& issue : parsed.issues) issues.push_back({"", path + ": " + issue.message});
    if (parsed.ok()) parts.push_back(std::move(*parsed.value));
  }
  if (!issues.empty()) return issues;
  return parts;
}

}  // namespace

int run_plan(std::span<const std::string> arguments) {
  CLI::App app("The best layouts for a training job, and why. What is given of the layout is fixed.", "meshgauge plan");
  ScenarioInput input;
  std::string objective, shard, top, budget, surety;
  std::vector<std::string> merged;
  bool all_engines = false, all_schedules = false, open = false, json = false;
  add_scenario_flags(app, input);
  app.add_option("--top", top, "Layouts to show. Default: 5.");
  app.add_option("--objective", objective, "step, tokens-per-dollar (smaller clusters too) or memory. Default: step.");
  app.add_flag("--all-engines", all_engines,
               "Every engine there is; by default those that jobs are started with today.");
  app.add_flag("--all-schedules", all_schedules, "Also pipeline schedules that the engine does not offer.");
  app.add_flag("--open", open, "The layout given is not fixed, but compared with the best.");
  app.add_option("--fit-probability", surety, "Least chance to fit, 50% to 99%. Default: 50%, as predicted.");
  app.add_option("--budget", budget, "Stops after about so many layouts, with the best so far.");
  CLI::Option* part = app.add_option("--shard", shard, "i/n: only part i of n, from 0, as JSON to be merged.");
  app.add_option("--merge", merged, "FILE...: the answers of all shards, made one.")->excludes(part);
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Json request{{"command", "plan"}};
  ScenarioRequestText filled;
  Issues issues;
  if (!merged.empty()) {
    issues = issues_of(parsed.bad);
    Result<Json> parts = read_parts(merged);
    issues.insert(issues.end(), parts.issues.begin(), parts.issues.end());
    if (!issues.empty()) return refuse(issues, json);
    request["merge"] = std::move(*parts.value);
  } else {
    filled = fill_request(input, request);
    issues = at_paths(parsed.bad, filled);
    issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
    if (!objective.empty()) request["objective"] = objective;
    if (!top.empty()) request["top"] = number_or_text(top);
    if (!budget.empty()) request["budget"] = number_or_text(budget);
    if (!surety.empty()) {
      const std::optional<double> share = parse_share(surety);
      request["fit_probability"] = share ? Json(*share) : Json(surety);
    }
    if (open) request["open"] = true;
    if (all_engines) request["engines"] = "all";
    if (all_schedules) request["schedules"] = "all";
    if (!shard.empty() && !read_shard(shard, request)) {
      issues.push_back({"", "--shard is " + shard + ". Expected: i/n, such as 0/4."});
    }
    if (!issues.empty()) return refuse(issues, json, filled.flags);
  }
  const Json answer = !merged.empty() ? merge(request) : shard.empty() ? search(std::move(request)) : ask(request);
  if (!answer["ok"].get<bool>()) {
    if (json) return print(as_text(answer) + '\n', bad_input);
    return refuse(issues_in(answer), json, filled.flags);
  }
  if (!shard.empty()) return print(as_text(answer) + '\n', done);
  const int status = answer["fits"].get<bool>() ? done : answer_is_no;
  return print(json ? as_text(answer) + '\n' : plan_report(answer, Style::of_terminal()), status);
}

}  // namespace meshgauge::cli
