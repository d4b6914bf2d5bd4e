// The command `estimate`: a scenario in, memory, traffic, time and reasons out.
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/compose/step.hpp"
#include "core/count/parameters.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/write_issues.hpp"
#include "core/io/write_memory.hpp"
#include "core/io/write_scenario.hpp"
#include "core/io/write_step.hpp"
#include "core/io/write_value.hpp"
#include "core/price/fit.hpp"
#include "core/price/memory_spread.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields =
    std::to_array<std::string_view>({"command", "scenario", "profile", "explain", "timeline"});
constexpr FieldText explain_field{.key = "explain", .fallback = "true", .help = "Adds the formula to each line."};
constexpr FieldText timeline_field{.key = "timeline", .fallback = "false", .help = "Adds what each stage does when."};

void warn_of_host(const StepReport& step, Issues& warnings) {
  if (!step.host_bound()) return;
  const double share = std::floor(100 * step.waiting_for_host.value / step.seconds.value + 0.5);
  warnings.push_back({"/training/kernels", "The host launches kernels slower than the GPU runs them: " +
                                               number_text(static_cast<std::int64_t>(share)) +
                                               " % of the step waits for it. CUDA graphs, compiled kernels or a larger "
                                               "micro-batch help."});
}

Json write_model(const ModelShape& model) {
  Json json;
  json["id"] = model.id;
  json["name"] = model.name;
  json["parameters"] = exact_number(total_parameters(model));
  json["active_parameters"] = exact_number(active_parameters(model));
  return json;
}

Json write_estimate(const Resolution& resolution, const Json& model, const Profile& profile, const StepReport& step,
                    Explain explain) {
  const Scenario& s = resolution.scenario;
  const std::vector<StageMemory> stages = all_stages(s, profile.overhead);
  const Bytes device = stages[binding_stage(stages)].device_peak();
  const Bytes capacity = s.cluster.gpu.memory;
  Json json;
  json["ok"] = true;
  json["schema_version"] = schema_version;
  json["scenario"] = write_scenario(s, model);
  json["model"] = write_model(s.model);
  json["fits"] = device <= capacity;
  json["fit_probability"] =
      rounded_number(fit_probability(stages[binding_stage(stages)].needed, capacity, memory_spread(s, profile).fit));
  json["memory"] = write_memory(s, profile, stages, explain);
  json["flops"] = write_flops(step.flops);
  json["traffic"] = write_traffic(step, s, profile);
  json["step"] = write_step(s, step, explain);
  json["run"] = write_run(estimate_run(s, step), explain);
  json["profile"] = {{"name", profile.name}};
  Issues warnings = resolution.warnings;
  warn_of_host(step, warnings);
  json["warnings"] = write_issues(warnings);
  return json;
}

std::string too_long(const Scenario& scenario) {
  return "The timeline would hold " + number_text(count_work(pipeline_of(scenario))) +
         " forwards and backwards. Allowed: up to " + number_text(most_replayed) +
         ". Lower global_batch_size, or ask without the timeline.";
}

}  // namespace

Result<Json> estimate_command(const Json& request) {
  Reading reading;
  bool explain = true, timeline = false;
  for (const auto& [key, value] : request.items()) {
    if (key == "explain") {
      explain = read_boolean(value, explain_field, "/explain", reading).value_or(true);
    } else if (key == "timeline") {
      timeline = read_boolean(value, timeline_field, "/timeline", reading).value_or(false);
    } else if (key != "command" && key != "scenario" && key != "profile") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  std::optional<AskedScenario> asked = read_asked_scenario(request, reading);
  // What is no scenario leaves the profile to be read.
  const std::optional<Profile> profile =
      read_asked_profile(request, asked ? asked->resolution.scenario.cluster : Cluster{}, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Scenario& scenario = asked->resolution.scenario;
  const StepReport step = estimate_step(scenario, *profile, timeline ? Record::yes : Record::no);
  if (timeline && step.timeline.empty()) return Issues{{"/timeline", too_long(scenario)}};
  Json answer =
      write_estimate(asked->resolution, asked->document["model"], *profile, step, explain ? Explain::yes : Explain::no);
  if (!asked->handbook_case.is_null()) answer["case"] = std::move(asked->handbook_case);
  return {std::move(answer)};
}

}  // namespace meshgauge
