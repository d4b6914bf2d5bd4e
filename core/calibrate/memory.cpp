#include "core/calibrate/memory.hpp"

#include <algorithm>
#include <cmath>

#include "core/count/memory.hpp"
#include "core/price/logarithm.hpp"
#include "core/validate/prediction.hpp"

namespace meshgauge {
namespace {

std::size_t index_of(MemoryKind kind) { return static_cast<std::size_t>(kind); }

/// The ledger of the rank that was read, or of the one that holds most.
Ledger ledger_of(const Profile& profile, const Scenario& scenario, MeasuredRank rank, MemoryKind kind) {
  const std::int64_t last = scenario.parallelism.pipeline - 1;
  Ledger best;
  Bytes most{-1};
  for (std::int64_t stage = 0; stage <= last; ++stage) {
    if ((rank == MeasuredRank::first && stage != 0) || (rank == MeasuredRank::last && stage != last)) continue;
    Ledger ledger;
    count_memory(scenario, profile.overhead, stage, ledger);
    const MemoryByKind kinds = memory_by_kind(ledger);
    const auto& phases = kinds[index_of(kind)];
    const Bytes peak = *std::max_element(phases.begin(), phases.end());
    if (peak > most) {
      most = peak;
      best = std::move(ledger);
    }
  }
  return best;
}

std::size_t peak_phase(const Ledger& ledger, MemoryKind kind) {
  const MemoryByKind kinds = memory_by_kind(ledger);
  const auto& phases = kinds[index_of(kind)];
  return static_cast<std::size_t>(std::max_element(phases.begin(), phases.end()) - phases.begin());
}

/// Deviation of a category's logarithm. Weights, gradients and states are known to the byte: they are off only where
/// the run was another one (fp32 for bf16, a stage more or less), which is a factor of two or so.
double spread_of(Category category) {
  switch (category) {
    case Category::parameters:
    case Category::gradients:
    case Category::optimizer:
      return 0.02;
    case Category::activations:
    case Category::logits:
      return 0.15;
    case Category::buffers:
      return 0.3;
    case Category::transient:
    case Category::overhead:
      return 0.5;
  }
  return 0.15;
}

std::vector<MemoryExplanation> explanations_of(const Ledger& ledger, MemoryKind kind, Bytes difference) {
  const std::size_t phase = peak_phase(ledger, kind);
  std::vector<MemoryExplanation> list;
  for (const LedgerLine& line : ledger.lines) {
    if (!line.phases.has(static_cast<Phase>(phase)) || line.bytes.value <= 0) continue;
    if (kind == MemoryKind::allocated && line.category == Category::overhead) continue;
    const double factor = 1 + difference / line.bytes;
    if (factor <= 0) continue;  // the line is smaller than what there is too much of
    const double two_deviations = 2 * spread_of(line.category);
    list.push_back({line.text.id, line.text.name, line.category, line.bytes, factor,
                    std::fabs(natural_log(factor)) <= two_deviations});
  }
  std::stable_sort(list.begin(), list.end(), [](const MemoryExplanation& a, const MemoryExplanation& b) {
    const auto surprise = [](const MemoryExplanation& e) {
      return std::fabs(natural_log(e.factor)) / spread_of(e.category);
    };
    return surprise(a) < surprise(b);
  });
  constexpr std::size_t most_shown = 6;
  if (list.size() > most_shown) list.resize(most_shown);
  return list;
}

}  // namespace

std::vector<MemoryComparison> explain_memory(const Profile& profile, const Scenario& scenario,
                                             const Measured& measured) {
  constexpr double close = 0.01;
  const Prediction before = predict(scenario, profile, measured.rank);
  const Prediction after = predict(scenario, with_memory(profile, scenario, measured), measured.rank);
  std::vector<MemoryComparison> list;
  for (std::size_t i = 0; i < memory_kind_count; ++i) {
    if (!measured.memory[i]) continue;
    const auto kind = static_cast<MemoryKind>(i);
    MemoryComparison c{kind, *measured.memory[i], before.memory[i], after.memory[i], {}};
    const Bytes difference = c.measured - c.before;
    if (std::fabs(difference.value) > close * c.measured.value) {
      c.explanations = explanations_of(ledger_of(profile, scenario, measured.rank, kind), kind, difference);
    }
    list.push_back(std::move(c));
  }
  return list;
}

Profile with_memory(const Profile& base, const Scenario& scenario, const Measured& measured) {
  Profile profile = base;
  const auto& [allocated, reserved, device] = measured.memory;
  const Prediction counted = predict(scenario, base, measured.rank);
  const auto known = [&](const std::optional<Bytes>& bytes, MemoryKind kind) {
    return bytes.value_or(counted.memory[index_of(kind)]);
  };
  if (reserved) {
    // What the allocator keeps has other parts too, so its slack is moved until the sum is right.
    const Bytes tensors = known(allocated, MemoryKind::allocated);
    for (int step = 0; step < 8; ++step) {
      const Bytes predicted = predict(scenario, profile, measured.rank).memory[index_of(MemoryKind::reserved)];
      const double slack = profile.overhead.allocator_slack + (*reserved - predicted) / tensors;
      profile.overhead.allocator_slack = std::clamp(slack, 0.0, 10.0);
    }
  }
  if (device) {
    const Prediction now = predict(scenario, profile, measured.rank);
    const Bytes beside = *device - reserved.value_or(now.memory[index_of(MemoryKind::reserved)]);
    const Bytes predicted = now.memory[index_of(MemoryKind::device)] - now.memory[index_of(MemoryKind::reserved)];
    profile.overhead.context = max(Bytes{}, base.overhead.context + beside - predicted);
  }
  return profile;
}

}  // namespace meshgauge
