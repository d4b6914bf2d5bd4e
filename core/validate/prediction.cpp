// What is predicted of a run, in the amounts that runs report.
#include "core/validate/prediction.hpp"

#include <cstdint>

#include "core/compose/step.hpp"
#include "core/count/memory.hpp"
#include "core/price/fit.hpp"
#include "core/price/memory_spread.hpp"

namespace meshgauge {
namespace {

bool is_read(MeasuredRank rank, std::int64_t stage, std::int64_t last) {
  switch (rank) {
    case MeasuredRank::first:
      return stage == 0;
    case MeasuredRank::last:
      return stage == last;
    case MeasuredRank::max:
      return true;
  }
  return true;
}

}  // namespace

Prediction predict(const Scenario& scenario, const Profile& profile, MeasuredRank rank) {
  Prediction prediction;
  const StepReport step = estimate_step(scenario, profile);
  prediction.step = step.seconds;
  prediction.step_low = step.low;
  prediction.step_high = step.high;
  const std::int64_t last = scenario.parallelism.pipeline - 1;
  for (std::int64_t stage = 0; stage <= last; ++stage) {
    Ledger ledger;
    count_memory(scenario, profile.overhead, stage, ledger);
    const MemoryByKind kinds = memory_by_kind(ledger);
    for (const Bytes device : kinds[static_cast<std::size_t>(MemoryKind::device)]) {
      prediction.fullest = max(prediction.fullest, device);
    }
    for (const Bytes needed : needed_by_phase(ledger, profile.overhead.least_slack)) {
      prediction.needed = max(prediction.needed, needed);
    }
    if (!is_read(rank, stage, last)) continue;
    for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
      for (const Bytes bytes : kinds[kind]) prediction.memory[kind] = max(prediction.memory[kind], bytes);
    }
  }
  prediction.fits = prediction.fullest <= scenario.cluster.gpu.memory;
  prediction.fit_probability =
      fit_probability(prediction.needed, scenario.cluster.gpu.memory, memory_spread(scenario, profile).fit);
  return prediction;
}

}  // namespace meshgauge
