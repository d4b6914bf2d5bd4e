#include "core/search/plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/search/frontier.hpp"
#include "core/search/search.hpp"

namespace meshgauge {

Plan make_plan(const ScenarioRequest& request, const Profile& profile, const Candidate& candidate) {
  Plan plan{.candidate = candidate, .scenario = scenario_of(request, candidate), .step = {}};
  plan.step = estimate_step(plan.scenario, profile);
  return plan;
}

std::vector<Plan> replay_best(const LayoutQuestion& question, const Profile& profile, const Found& found,
                              std::size_t count) {
  const auto value = [&](const Plan& p) {
    return value_of(question.goal, p.candidate.grid, {.seconds = p.step.seconds, .memory = p.candidate.cost.memory});
  };
  LayoutScenarios scenarios(question.request);
  std::vector<Plan> plans;
  for (const Candidate& c : found.best) {
    const double worst = plans.size() >= count ? value(plans[count - 1]) : std::numeric_limits<double>::infinity();
    if (c.value > worst) break;
    const auto same = std::find_if(plans.begin(), plans.end(), [&](const Plan& p) {
      return p.candidate.engine == c.engine && p.candidate.grid == c.grid;
    });
    // What certainly takes longer than that would not be kept.
    const double limit = same == plans.end() ? worst : std::min(worst, value(*same));
    const double of_second = value_of(question.goal, c.grid, {.seconds = {1}, .memory = {0}});
    if (of_second == 0 && same != plans.end() && value(*same) <= c.value) continue;
    const Scenario& scenario = scenarios(c);
    std::optional<StepReport> step =
        of_second > 0 ? estimate_step_within(scenario, profile, {limit / of_second}) : estimate_step(scenario, profile);
    if (!step) continue;
    Plan plan{.candidate = c, .scenario = scenario, .step = std::move(*step)};
    if (same != plans.end()) {
      if (value(*same) <= value(plan)) continue;
      plans.erase(same);
    }
    const auto place = std::upper_bound(plans.begin(), plans.end(), plan,
                                        [&](const Plan& a, const Plan& b) { return value(a) < value(b); });
    plans.insert(place, std::move(plan));
  }
  if (plans.size() > count) plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(count), plans.end());
  return plans;
}

std::vector<Candidate> replay_frontier(const LayoutQuestion& question, const Profile& profile, const Found& found,
                                       const std::vector<Plan>& plans) {
  Frontier frontier;
  const auto offer = [&](Candidate c, Seconds replayed) {
    c.cost.seconds = replayed;
    if (frontier.takes(c.cost)) frontier.add(std::move(c));
  };
  for (const Plan& p : plans) offer(p.candidate, p.step.seconds);
  LayoutScenarios scenarios(question.request);
  for (const Candidate& c : found.frontier) offer(c, estimate_step(scenarios(c), profile).seconds);
  return frontier.list();
}

}  // namespace meshgauge
