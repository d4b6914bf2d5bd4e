// The command `check`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/api.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/check_report.hpp"
#include "native/cli/command.hpp"
#include "native/cli/quantity.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

enum class Kind { word, model, count, sequence, duration, share };

struct Flag {
  const char* name;
  const char* key;
  Kind kind;
  const char* help;
};

constexpr auto flags = std::to_array<Flag>({
    {"--params", "parameters", Kind::count, "Parameters of the model: 65e9, 65B."},
    {"--active-params", "active_parameters", Kind::count,
     "Parameters that one token touches, in a mixture of experts."},
    {"--model", "model", Kind::model, "Model of the catalog, or its config.json, instead of --params."},
    {"--tokens", "tokens", Kind::count, "Tokens that are trained on: 1.4T."},
    {"--gpu", "gpu", Kind::word, "GPU of the catalog."},
    {"--system", "system", Kind::word, "Server type of the catalog, instead of --gpu."},
    {"--gpus", "gpus", Kind::count, "GPUs of the job."},
    {"--days", "days", Kind::duration, "Length of the run: 21, or with a unit: 21d, 70h, 3 weeks."},
    {"--hours", "hours", Kind::duration, "Length of the run in hours."},
    {"--gpu-hours", "gpu_hours", Kind::count, "GPUs times hours: 2.788M."},
    {"--tokens-per-second", "tokens_per_second", Kind::count, "Rate of the whole job."},
    {"--tokens-per-second-per-gpu", "tokens_per_second_per_gpu", Kind::count, "Rate of one GPU."},
    {"--tflops", "tflops_per_gpu", Kind::count, "TFLOP/s of one GPU."},
    {"--mfu", "mfu", Kind::share, "Model FLOPs over the dense peak: 46.2% or 0.462."},
    {"--seq", "sequence_length", Kind::sequence, "Tokens of one sequence: with --model, attention is counted too."},
    {"--precision", "precision", Kind::word, "Number format of the matrix products."},
});

Json number_json(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (value > -9e15 && value < 9e15 && static_cast<double>(whole) == value) return whole;
  return value;
}

/// The number that a flag's text stands for, in the unit of its field; the text itself where it is none, so that the
/// core says what is wrong with it.
Json value_of(const Flag& flag, const std::string& text, ScenarioRequestText& filled) {
  std::optional<double> number;
  switch (flag.kind) {
    case Kind::word:
      return text;
    case Kind::model:
      return model_argument(text, filled);
    case Kind::count:
      number = parse_quantity(text, Scale::count);
      break;
    case Kind::sequence:
      number = parse_quantity(text, Scale::sequence);
      break;
    case Kind::share:
      number = parse_share(text);
      break;
    case Kind::duration: {
      const double unit = flag.key == std::string_view("hours") ? 3600 : 86400;
      number = parse_duration(text, unit);
      if (number) number = *number / unit;
      break;
    }
  }
  return number ? number_json(*number) : Json(text);
}

bool is_no(const Json& answer) {
  const auto verdict = answer["verdict"].get<std::string>();
  return verdict == "impossible" || !answer["contradictions"].empty();
}

}  // namespace

int run_check(std::span<const std::string> arguments) {
  CLI::App app("Is a claim about a training run possible? Any figures that are enough will do.", "meshgauge check");
  std::array<std::optional<std::string>, std::size(flags)> values;
  bool explain = false;
  bool json = false;
  for (std::size_t i = 0; i < values.size(); ++i) app.add_option(flags[i].name, values[i], flags[i].help);
  app.add_flag("--explain", explain, "Prints formula, values and source of each figure.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Json request{{"command", "check"}};
  ScenarioRequestText filled;
  for (std::size_t i = 0; i < values.size(); ++i) {
    filled.flags.push_back({std::string("/") + flags[i].key, flags[i].name});
    if (values[i]) request[flags[i].key] = value_of(flags[i], *values[i], filled);
  }
  Issues issues = issues_of(parsed.bad);
  issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
  const std::string text = api(as_text(request));
  const Json answer = Json::parse(text);
  if (!answer["ok"].get<bool>()) {
    // Flags that could not be taken leave gaps that nobody made.
    for (Issue& issue : issues_in(answer)) {
      if (issues.empty() || !issue.path.empty()) issues.push_back(std::move(issue));
    }
  }
  if (!issues.empty()) return refuse(issues, json, filled.flags);
  return print(json ? text + '\n' : check_report(answer, explain, Style::of_terminal()),
               is_no(answer) ? answer_is_no : done);
}

}  // namespace meshgauge::cli
