// The command `calibrate`.
#include "core/io/calibrate.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/scenario/words.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/calibration_report.hpp"
#include "native/cli/cluster_flags.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/quantity.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_total = std::size_t{512} << 20U;  ///< bytes of all files together

struct Flags {
  std::vector<std::string> paths;
  std::string out, name, profile, run;
  std::string operation;
  std::int64_t ranks = 0, ranks_per_node = 0;
  ClusterFlags cluster;
  std::string step, tokens, allocated, reserved, device;
  bool fit_slow = false, json = false;
};

void add_flags(CLI::App& app, Flags& f) {
  app.add_option("FILES", f.paths,
                 "Results of meshgauge-bench, logs of benchmarks or training, measured runs as JSON Lines; - for "
                 "standard input.");
  app.add_option("--out", f.out, "Writes the profile to this file.");
  app.add_option("--name", f.name, "What answers call the profile.");
  app.add_option("--profile", f.profile, "Earlier profile that is refined, instead of the datasheet's.");
  add_cluster_flags(app, f.cluster);
  app.add_option("--ranks", f.ranks, "Ranks of a group, where a log does not say it.")->check(CLI::Range(1, 1'000'000));
  app.add_option("--ranks-per-node", f.ranks_per_node, "Those in one node.")->check(CLI::Range(1, 1'000'000));
  app.add_option("--operation", f.operation, "Collective of a log that does not say it.");
  app.add_flag("--fit-slow", f.fit_slow, "Fits curves below half of what the links allow, too.");
  app.add_option("--run", f.run, "Scenario of a run of your own; what it showed is in its log, among FILES, or:");
  app.add_option("--step-seconds", f.step, "its step: 4.2, 850 ms.");
  app.add_option("--tokens-per-second", f.tokens, "or its tokens per second, all GPUs.");
  app.add_option("--allocated", f.allocated, "its peak of allocated memory: 61.3GiB.");
  app.add_option("--reserved", f.reserved, "its peak of reserved memory.");
  app.add_option("--device", f.device, "its peak on the card, as nvidia-smi shows it.");
  app.add_flag("--json", f.json, "Prints the answer as JSON.");
}

/// "4.2", "850 ms", "1.5 s".
std::optional<double> seconds_of(std::string text) {
  double scale = 1;
  const auto ends = [&](std::string_view end) { return text.size() > end.size() && text.ends_with(end); };
  if (ends("ms")) {
    scale = 1e-3;
    text.resize(text.size() - 2);
  } else if (ends("s")) {
    text.resize(text.size() - 1);
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const auto value = parse_quantity(text, Scale::count);
  return value ? std::optional(*value * scale) : std::nullopt;
}

/// --run and what it showed, as a line of `validate` has them.
void put_run(const Flags& f, Json& request, Issues& issues) {
  const bool numbers =
      !f.step.empty() || !f.tokens.empty() || !f.allocated.empty() || !f.reserved.empty() || !f.device.empty();
  if (f.run.empty()) {
    if (numbers) issues.push_back({"", "There is a measured number without its scenario. Name it with --run."});
    return;
  }
  Json measured = Json::object();
  const auto put = [&](const char* flag, const char* key, const std::string& text, std::optional<double> value,
                       const char* example) {
    if (const auto amount = positive(flag, text, value, example, issues)) measured[key] = *amount;
  };
  put("--step-seconds", "step_seconds", f.step, seconds_of(f.step), "4.2");
  put("--allocated", "allocated_bytes", f.allocated, parse_bytes(f.allocated), "61.3GiB");
  put("--reserved", "reserved_bytes", f.reserved, parse_bytes(f.reserved), "66GiB");
  put("--device", "device_bytes", f.device, parse_bytes(f.device), "70GiB");
  Result<Json> scenario = read_document(f.run, "--run");
  issues.insert(issues.end(), scenario.issues.begin(), scenario.issues.end());
  if (!scenario.ok()) return;
  if (!f.tokens.empty()) {
    const auto rate = parse_quantity(f.tokens, Scale::count);
    const auto tokens = tokens_per_step(*scenario.value);
    if (!f.step.empty()) {
      issues.push_back({"", "--tokens-per-second beside --step-seconds. Give one of them."});
    } else if (!rate || !(*rate > 0)) {
      issues.push_back({"", "--tokens-per-second is " + in_quotes(f.tokens) + ". Allowed: above 0, such as 1.2M."});
    } else if (tokens.ok()) {
      measured["step_seconds"] = *tokens.value / *rate;
    } else {
      issues.insert(issues.end(), tokens.issues.begin(), tokens.issues.end());
    }
  }
  if (!numbers && !f.paths.empty()) {  // the log has them
    request["scenario"] = std::move(*scenario.value);
    return;
  }
  request["runs"] = Json::array({{{"id", f.run}, {"scenario", *scenario.value}, {"measured", measured}}});
}

Json request_of(const Flags& f, Issues& issues) {
  Json request = Json::object();
  const auto put = [](Json& into, const char* key, const auto& value) {
    if (value != std::decay_t<decltype(value)>{}) into[key] = value;
  };
  put(request, "name", f.name);
  put(request, "ranks", f.ranks);
  put(request, "ranks_per_node", f.ranks_per_node);
  put(request, "operation", f.operation);
  if (f.fit_slow) request["fit_slow"] = true;
  if (Json cluster = cluster_of(f.cluster, issues); !cluster.empty()) request["cluster"] = std::move(cluster);
  if (!f.profile.empty()) {
    Result<Json> profile = read_document(f.profile, "--profile");
    issues.insert(issues.end(), profile.issues.begin(), profile.issues.end());
    if (profile.ok()) request["profile"] = std::move(*profile.value);
  }
  put_run(f, request, issues);
  return request;
}

std::vector<FlagOfPath> flags_of_paths() {
  std::vector<FlagOfPath> flags = measured_flags("");
  flags.insert(flags.end(), {{"/name", "--name"}, {"/runs/0", "--run"}, {"/scenario", "--run"}});
  return flags;
}

}  // namespace

int run_calibrate(std::span<const std::string> arguments) {
  CLI::App app("Measurements in, a profile and how good it is out.", "meshgauge calibrate");
  Flags f;
  add_flags(app, f);
  f.json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Issues issues = issues_of(parsed.bad);
  if (f.paths.empty() && f.run.empty()) {
    issues.push_back({"", "Nothing measured is given. Name files of results or logs, - for standard input, or --run."});
  }
  const Json request = request_of(f, issues);
  const Result<std::vector<std::string>> texts = read_texts(f.paths, largest_total);
  issues.insert(issues.end(), texts.issues.begin(), texts.issues.end());
  if (!issues.empty()) return refuse(issues, f.json);
  std::vector<NamedText> files = named_texts(f.paths, *texts.value);
  for (NamedText& file : files) file.name.erase(0, file.name.find_last_of('/') + 1);
  const Result<Json> answer = calibrate_files(files, request);
  if (!answer.ok()) return refuse(answer.issues, f.json, flags_of_paths());
  if (!f.out.empty()) {
    issues = write_text(f.out, (*answer.value)["profile"].dump(1) + '\n');
    if (!issues.empty()) return refuse(issues, f.json);
  }
  const std::string text =
      f.json ? as_text(*answer.value) + '\n' : calibration_report(*answer.value, f.out, Style::of_terminal());
  return print(text, learned_something(*answer.value) ? done : answer_is_no);
}

}  // namespace meshgauge::cli
