#include "core/io/try_remedies.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/count/memory.hpp"
#include "core/diagnose/remedies.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/write_scenario.hpp"
#include "core/io/write_step.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Change& change) {
  return std::visit([](const auto& value) { return Json(value); }, change.value);
}

/// What a remedy comes to.
struct Tried {
  const Remedy* remedy;
  Json set;
  Scenario scenario;
  Bytes device{}, needed{};  ///< of the fullest rank
  StepReport step;           ///< the caller's, for those that it keeps

  [[nodiscard]] bool fits() const { return device <= scenario.cluster.gpu.memory; }
};

std::vector<Tried> try_all(const std::vector<Remedy>& list, const Scenario& scenario, const Json& model,
                           const Profile& profile) {
  const Json document = write_scenario(scenario, model);
  std::vector<Tried> all;
  for (const Remedy& remedy : list) {
    Json changed = document;
    Json set = Json::object();
    for (const Change& change : remedy.changes) {
      changed[Json::json_pointer(change.path)] = value_of(change);
      set[change.path] = value_of(change);
    }
    Result<Resolution> resolution = read_scenario(changed);
    if (!resolution.ok()) continue;
    Tried tried{
        .remedy = &remedy, .set = std::move(set), .scenario = std::move(resolution.value->scenario), .step = {}};
    const StageMemory memory = fullest_stage(tried.scenario, profile.overhead);
    tried.device = memory.device_peak();
    tried.needed = memory.needed;
    all.push_back(std::move(tried));
  }
  return all;
}

Json write_tried(const Tried& tried, Bytes before) {
  return {{"id", tried.remedy->id},
          {"name", tried.remedy->name},
          {"set", tried.set},
          {"saved_bytes", exact_number((before - tried.device).value)},
          {"device_bytes", exact_number(tried.device.value)},
          {"fits", tried.fits()},
          {"step_seconds", write_step(tried.scenario, tried.step, Explain::no)["seconds"]}};
}

}  // namespace

Json try_remedies(const Scenario& scenario, const Json& model, const Profile& profile) {
  const Bytes before = device_peak(scenario, profile.overhead);
  const std::vector<Remedy> list = remedies(scenario);
  std::vector<Tried> all = try_all(list, scenario, model, profile);
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Tried& t) { return !(t.device < before); }), all.end());
  std::stable_sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) { return a.device < b.device; });
  Json json = Json::array();
  for (Tried& tried : all) {
    tried.step = estimate_step(tried.scenario, profile);
    json.push_back(write_tried(tried, before));
  }
  return json;
}

Json try_changes(const Scenario& scenario, const StageMemory& before, const StepReport& now, const Json& model,
                 const Profile& profile) {
  // Sequences, batches and GPUs may change, so times are compared by the tokens of one GPU.
  const double rate = now.tokens_per_second_per_gpu;
  std::vector<Remedy> list = remedies(scenario);
  for (Remedy& change : speedups(scenario)) list.push_back(std::move(change));
  std::vector<Tried> all = try_all(list, scenario, model, profile);
  for (Tried& tried : all) tried.step = estimate_step(tried.scenario, profile);
  // Bytes are those that a job needs: on a full card the allocator's cache hides what a change saves.
  const auto useless = [&](const Tried& t) {
    return !(t.needed < before.needed) && t.step.tokens_per_second_per_gpu <= rate;
  };
  all.erase(std::remove_if(all.begin(), all.end(), useless), all.end());
  std::stable_sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) {
    if (a.fits() != b.fits()) return a.fits();
    if (!a.fits()) return a.needed < b.needed;
    return a.step.tokens_per_second_per_gpu > b.step.tokens_per_second_per_gpu;
  });
  Json json = Json::array();
  for (const Tried& tried : all) {
    json.push_back(write_tried(tried, before.device_peak()));
    json.back()["needed_bytes"] = exact_number(tried.needed.value);
    json.back()["saved_time"] = rounded_number(1 - rate / tried.step.tokens_per_second_per_gpu);
  }
  return json;
}

}  // namespace meshgauge
