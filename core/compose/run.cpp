// The length and price of a whole run.
#include "core/compose/step.hpp"
#include "core/count/traffic.hpp"

namespace meshgauge {

std::optional<RunReport> estimate_run(const Scenario& scenario, const StepReport& step) {
  constexpr double seconds_per_hour = 3600, hours_per_day = 24;
  const double tokens_per_step = scenario.tokens_per_step();
  if (scenario.training.tokens <= 0 || tokens_per_step <= 0) return std::nullopt;
  RunReport run;
  run.steps = scenario.training.tokens / tokens_per_step;
  const double hours = run.steps * step.seconds.value / (run.goodput * seconds_per_hour);
  run.days = hours / hours_per_day;
  run.gpu_hours = hours * static_cast<double>(group_size(scenario, Group::world));
  if (scenario.cluster.usd_per_gpu_hour) run.cost_usd = run.gpu_hours * *scenario.cluster.usd_per_gpu_hour;
  return run;
}

}  // namespace meshgauge
