#include "core/calibrate/run_log.hpp"

#include <algorithm>
#include <array>

#include "core/calibrate/factors.hpp"

namespace meshgauge {
namespace {

template <class Visit>
void for_each_step(const std::vector<ImportedRun>& runs, Visit visit) {
  for (const ImportedRun& run : runs) {
    if (run.tool == "meshgauge-bench") continue;
    for (const Measurement& measurement : run.measurements) {
      if (const auto* step = std::get_if<MeasuredStep>(&measurement.what)) visit(*step);
    }
  }
}

Seconds seconds_of(const MeasuredStep& step, const Scenario& scenario) {
  if (step.seconds.value > 0) return step.seconds;
  const auto ranks = static_cast<double>(scenario.cluster.gpus);
  const double rate = step.tokens_per_second > 0 ? step.tokens_per_second : ranks * step.tokens_per_second_per_gpu;
  return {rate > 0 ? scenario.useful_tokens_per_step() / rate : 0};
}

}  // namespace

Measured measured_by(const std::vector<ImportedRun>& runs, const Scenario& scenario) {
  std::vector<double> seconds;
  std::array<Bytes, memory_kind_count> most{};
  for_each_step(runs, [&](const MeasuredStep& step) {
    if (const Seconds t = seconds_of(step, scenario); t.value > 0) seconds.push_back(t.value);
    most[0] = max(most[0], step.allocated);
    most[1] = max(most[1], step.reserved);
    most[2] = max(most[2], step.device);
  });
  Measured measured;
  const std::size_t warm_up = seconds.size() > 2 ? std::max<std::size_t>(1, seconds.size() / 10) : 0;
  seconds.erase(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(warm_up));
  if (!seconds.empty()) measured.step = Seconds{median(std::move(seconds))};
  for (std::size_t i = 0; i < memory_kind_count; ++i) {
    if (most[i].value > 0) measured.memory[i] = most[i];
  }
  return measured;
}

std::int64_t steps_in(const std::vector<ImportedRun>& runs) {
  std::int64_t count = 0;
  for_each_step(runs, [&](const MeasuredStep&) { ++count; });
  return count;
}

}  // namespace meshgauge
