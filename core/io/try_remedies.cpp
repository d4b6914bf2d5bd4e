#include "core/io/try_remedies.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/compose/step.hpp"
#include "core/diagnose/remedies.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/write_scenario.hpp"
#include "core/io/write_step.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Bytes needed(const Scenario& s, const Profile& profile) {
  const std::vector<StageMemory> stages = all_stages(s, profile.overhead);
  return stages[binding_stage(stages)].device_peak();
}

Json value_of(const Change& change) {
  return std::visit([](const auto& value) { return Json(value); }, change.value);
}

}  // namespace

Json try_remedies(const Scenario& scenario, const Json& model, const Profile& profile) {
  const Json document = write_scenario(scenario, model);
  const Bytes before = needed(scenario, profile);
  std::vector<Json> tried;
  for (const Remedy& remedy : remedies(scenario)) {
    Json changed = document;
    Json set = Json::object();
    for (const Change& change : remedy.changes) {
      changed[Json::json_pointer(change.path)] = value_of(change);
      set[change.path] = value_of(change);
    }
    const Result<Resolution> resolution = read_scenario(changed);
    if (!resolution.ok()) continue;
    const Scenario& s = resolution.value->scenario;
    const Bytes after = needed(s, profile);
    if (!(after < before)) continue;
    tried.push_back({{"id", remedy.id},
                     {"name", remedy.name},
                     {"set", std::move(set)},
                     {"saved_bytes", exact_number((before - after).value)},
                     {"device_bytes", exact_number(after.value)},
                     {"fits", after <= s.cluster.gpu.memory},
                     {"step_seconds", write_step(s, estimate_step(s, profile), Explain::no)["seconds"]}});
  }
  std::stable_sort(tried.begin(), tried.end(), [](const Json& a, const Json& b) {
    return a["saved_bytes"].get<double>() > b["saved_bytes"].get<double>();
  });
  Json list = Json::array();
  for (Json& one : tried) list.push_back(std::move(one));
  return list;
}

}  // namespace meshgauge
