// The command `advise`: single changes of a scenario, each estimated for itself, with the bytes and the time they save.
#include <array>
#include <nlohmann/json.hpp>

#include "core/compose/step.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/try_remedies.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "scenario", "profile"});

}  // namespace

Result<Json> advise_command(const Json& request) {
  Reading reading;
  report_unknown_fields(request, "", request_fields, reading);
  const auto document = request.find("scenario");
  if (document == request.end() || !document->is_object()) {
    reading.fail("/scenario", "scenario is " + (document == request.end() ? "missing" : shown(*document)) +
                                  ". Expected: an object.");
    return std::move(reading.issues);
  }
  const Result<Resolution> resolution = read_scenario(*document);
  reading.issues.insert(reading.issues.end(), resolution.issues.begin(), resolution.issues.end());
  const Cluster cluster = resolution.ok() ? resolution.value->scenario.cluster : Cluster{};
  const std::optional<Profile> profile = read_asked_profile(request, cluster, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Scenario& s = resolution.value->scenario;
  const StageMemory memory = fullest_stage(s, profile->overhead);
  const Bytes device = memory.device_peak();
  const StepReport step = estimate_step(s, *profile);
  Json answer;
  answer["ok"] = true;
  answer["fits"] = device <= s.cluster.gpu.memory;
  answer["device_bytes"] = exact_number(device.value);
  answer["needed_bytes"] = exact_number(memory.needed.value);
  answer["capacity_bytes"] = exact_number(s.cluster.gpu.memory.value);
  answer["step_seconds"] = rounded_number(step.seconds.value);
  answer["changes"] = try_changes(s, memory, step, request["scenario"].value("model", Json()), *profile);
  return answer;
}

}  // namespace meshgauge
