// The command `advise`: single changes of a scenario, each estimated for itself, with the bytes and the time they save.
#include <nlohmann/json.hpp>

#include "core/compose/step.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/try_remedies.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view request_fields[] = {"command", "scenario", "profile"};

}  // namespace

Result<Json> advise_command(const Json& request) {
  Reading reading;
  for (const auto& [key, value] : request.items()) {
    if (key != "command" && key != "scenario" && key != "profile") report_unknown(key, "", request_fields, {}, reading);
  }
  const auto document = request.find("scenario");
  if (document == request.end() || !document->is_object()) {
    reading.fail("/scenario", "scenario is " + (document == request.end() ? "missing" : shown(*document)) +
                                  ". Expected: an object.");
    return std::move(reading.issues);
  }
  const Result<Resolution> resolution = read_scenario(*document);
  reading.issues.insert(reading.issues.end(), resolution.issues.begin(), resolution.issues.end());
  const Cluster cluster = resolution.ok() ? resolution.value->scenario.cluster : Cluster{};
  Result<Profile> profile = read_profile(request.contains("profile") ? request["profile"] : Json::object(), "/profile",
                                         default_profile(cluster));
  reading.issues.insert(reading.issues.end(), profile.issues.begin(), profile.issues.end());
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Scenario& s = resolution.value->scenario;
  const std::vector<StageMemory> stages = all_stages(s, profile.value->overhead);
  const Bytes needed = stages[binding_stage(stages)].device_peak();
  Json answer;
  answer["ok"] = true;
  answer["fits"] = needed <= s.cluster.gpu.memory;
  answer["device_bytes"] = exact_number(needed.value);
  answer["capacity_bytes"] = exact_number(s.cluster.gpu.memory.value);
  answer["step_seconds"] = rounded_number(estimate_step(s, *profile.value).seconds.value);
  answer["changes"] = try_changes(s, request["scenario"].value("model", Json()), *profile.value);
  return answer;
}

}  // namespace meshgauge
