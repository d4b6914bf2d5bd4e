// The command `plan`: a scenario without its layout in, the best layouts and the reasons for them out.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/commands.hpp"
#include "core/io/plan_against.hpp"
#include "core/io/plan_part.hpp"
#include "core/io/plan_reasons.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/write_plan.hpp"
#include "core/io/write_value.hpp"
#include "core/search/planner.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// Of grids alone: which schedules were judged depends on what the bounds left over.
Json write_excluded(const PlanQuestion& asked) {
  Exclusions exclusions;
  Issues issues;
  (void)engine_spaces(asked.question, asked.profile, exclusions, issues);
  Json list = Json::array();
  for (const Exclusion& e : exclusions.list()) {
    list.push_back({{"rule", e.rule},
                    {"text", e.text},
                    {"count", e.count},
                    {"nearest", {{"path", e.first.path}, {"message", e.first.message}}}});
  }
  return list;
}

Result<Json> finish(const Json& question, const PlanQuestion& asked, Found found, bool complete) {
  Reading reading;
  const std::optional<Scenario> against = read_against(asked, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  cut_frontier(asked.question, found);
  const auto replayed = static_cast<std::size_t>(2 * asked.question.top + 2);  // reasons look at more than is shown
  const std::vector<Plan> plans = replay_best(asked.question, asked.profile, found, replayed);
  found.frontier = replay_frontier(asked.question, asked.profile, found, plans);
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["question"] = question;
  answer["fits"] = !plans.empty();
  Json& list = answer["plans"] = Json::array();
  const std::size_t shown = std::min(plans.size(), static_cast<std::size_t>(asked.question.top));
  for (std::size_t i = 0; i < shown; ++i) list.push_back(write_plan(asked, plans[i]));
  Json& frontier = answer["frontier"] = Json::array();
  LayoutScenarios scenarios(asked.question.request);
  for (const Candidate& c : found.frontier) {
    const Scenario& s = scenarios(c);
    frontier.push_back({{"layout", layout_text(s)},
                        {"fits", c.fits},
                        {"step_seconds", rounded_number(c.cost.seconds.value)},
                        {"device_bytes", exact_number(device_of(asked, c, s).value)},
                        {"needed_bytes", exact_number(fullest_stage(s, asked.profile.overhead).needed.value)},
                        {"set", write_layout(s)}});
  }
  answer["excluded"] = write_excluded(asked);
  answer["reasons"] = write_reasons(asked, plans, found);
  if (against) answer["against"] = write_against(asked, *against, plans.empty() ? nullptr : plans.data());
  answer["search"] = {{"grids", found.counts.grids},
                      {"grids_excluded_by_bound", found.counts.bounded},
                      {"layouts_evaluated", found.counts.evaluated},
                      {"layouts_that_fit", found.counts.fit},
                      {"complete", complete}};
  return answer;
}

Result<Json> merge_answers(const Json& parts) {
  Reading reading;
  MergedParts merged = read_parts(parts, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return finish(merged.question, *merged.asked, std::move(merged.found), merged.complete);
}

}  // namespace

Result<Json> plan_command(const Json& request) {
  if (request.contains("merge")) return merge_answers(request["merge"]);
  Reading reading;
  PlanPart part = read_part(request, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  Planner planner(part.asked.question, part.asked.profile);
  if (!planner.issues().empty()) return planner.issues();
  planner.resume(std::move(part.found), part.decided);
  const bool complete = advance(planner, part.budget);
  if (part.whole) return finish(part.question, part.asked, planner.found(), complete);
  return write_part(part, planner, complete);
}

}  // namespace meshgauge
