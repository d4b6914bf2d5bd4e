#include "core/search/plan.hpp"

#include <algorithm>

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
  std::vector<Plan> plans;
  for (const Candidate& c : found.best) {
    if (plans.size() >= count && c.value > value(plans[count - 1])) break;
    Plan plan = make_plan(question.request, profile, c);
    const auto same = std::find_if(plans.begin(), plans.end(), [&](const Plan& p) {
      return p.candidate.engine == c.engine && p.candidate.grid == c.grid;
    });
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

}  // namespace meshgauge
