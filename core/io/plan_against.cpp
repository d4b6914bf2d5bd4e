#include "core/io/plan_against.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/count/memory.hpp"
#include "core/io/plan_reasons.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/write_step.hpp"
#include "core/io/write_value.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t no_replay = 0;
constexpr std::int64_t every_grid = 1000000000;

/// Grids whose best layout is faster, by closed forms.
std::int64_t count_faster(const PlanQuestion& asked, double seconds) {
  LayoutQuestion question = asked.question;
  question.goal = Goal::step;
  question.shard = {};
  question.reach = 1;
  question.top = every_grid;
  question.no_worse_than = seconds;
  const Found found = search(question, asked.profile);
  std::set<std::pair<Engine, Grid>> faster;
  for (const Candidate& c : found.best) {
    if (c.value < seconds) faster.insert({c.engine, c.grid});
  }
  return static_cast<std::int64_t>(faster.size());
}

}  // namespace

std::optional<Scenario> read_against(const PlanQuestion& asked, Reading& reading) {
  if (asked.layout.is_null() || !reading.issues.empty()) return std::nullopt;
  if (!expect_object(asked.layout, "against", "/against", reading)) return std::nullopt;
  Json document = asked.scenario;
  document.merge_patch(asked.layout);
  Result<Resolution> resolution = read_scenario(document);
  for (const Issue& issue : resolution.issues) reading.fail("/against" + issue.path, issue.message);
  if (!resolution.ok()) return std::nullopt;
  return std::move(resolution.value->scenario);
}

Json write_against(const PlanQuestion& asked, const Scenario& scenario, const Plan* best) {
  Plan plan{.candidate = candidate_of(scenario), .scenario = scenario, .step = estimate_step(scenario, asked.profile)};
  const double closed = estimate_step(scenario, asked.profile, Record::no, no_replay).seconds.value;
  plan.candidate.cost = {.seconds = {closed}, .memory = device_peak(scenario, asked.profile.overhead)};
  plan.candidate.fits = fits_surely(asked.question, asked.profile, scenario);
  Json json{{"layout", layout_text(scenario)},
            {"fits", plan.candidate.fits},
            {"step_seconds", write_step(scenario, plan.step, Explain::no)["seconds"]},
            {"closed_form_seconds", rounded_number(closed)},
            {"device_bytes", exact_number(plan.candidate.cost.memory.value)},
            {"grids_with_faster", count_faster(asked, closed)}};
  if (best == nullptr) return json;
  const Json difference = write_difference(*best, plan);
  for (const char* key : {"slower_seconds", "by_term", "text"}) json[key] = difference[key];
  return json;
}

}  // namespace meshgauge
