// How well a set of runs is predicted: statistics of the errors, and how often "fits" was right.
#include "core/validate/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace meshgauge {
namespace {

void count(const FitComparison& fit, FitCounts& counts) {
  ++counts.n;
  const double off = fit.probability - (fit.measured ? 1 : 0);
  counts.brier += off * off;
  if (!fit.measured) ++counts.out_of_memory;
  if (fit.right()) {
    ++counts.right;
  } else {
    ++(fit.predicted ? counts.false_fits : counts.false_ooms);
  }
}

}  // namespace

double quantile(std::span<const double> sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

ErrorSummary summarise(std::span<const Comparison> comparisons) {
  ErrorSummary summary;
  if (comparisons.empty()) return summary;
  std::vector<double> errors;
  errors.reserve(comparisons.size());
  double inside = 0;
  for (const Comparison& c : comparisons) {
    errors.push_back(std::fabs(c.error()));
    summary.mean += errors.back();
    summary.bias += c.error();
    inside += c.within() ? 1 : 0;
  }
  std::sort(errors.begin(), errors.end());
  const auto n = static_cast<double>(errors.size());
  summary.n = static_cast<std::int64_t>(errors.size());
  summary.mean /= n;
  summary.bias /= n;
  summary.coverage = inside / n;
  summary.median = quantile(errors, 0.5);
  summary.p90 = quantile(errors, 0.9);
  summary.max = errors.back();
  return summary;
}

MedianFamily median_family(std::span<const ErrorSummary> families) {
  std::vector<double> medians, highs;
  for (const ErrorSummary& family : families) {
    if (family.n == 0) continue;
    medians.push_back(family.median);
    highs.push_back(family.p90);
  }
  if (medians.empty()) return {};
  std::sort(medians.begin(), medians.end());
  std::sort(highs.begin(), highs.end());
  return {static_cast<std::int64_t>(medians.size()), quantile(medians, 0.5), quantile(highs, 0.5)};
}

SetSummary summarise(std::span<const RunComparison> runs) {
  SetSummary summary;
  std::vector<Comparison> steps, collectives, kernels;
  std::array<std::vector<Comparison>, memory_kind_count> memory;
  std::vector<Comparison> all_memory;
  for (const RunComparison& run : runs) {
    if (run.step) steps.push_back(*run.step);
    if (run.collective) collectives.push_back(*run.collective);
    if (run.kernel) kernels.push_back(*run.kernel);
    for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
      if (!run.memory[kind]) continue;
      memory[kind].push_back(*run.memory[kind]);
      all_memory.push_back(*run.memory[kind]);
    }
    if (run.fits) count(*run.fits, summary.fits);
  }
  if (summary.fits.n > 0) summary.fits.brier /= static_cast<double>(summary.fits.n);
  summary.step_time = summarise(std::span<const Comparison>(steps));
  summary.collective_time = summarise(std::span<const Comparison>(collectives));
  summary.kernel_time = summarise(std::span<const Comparison>(kernels));
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
    summary.memory[kind] = summarise(std::span<const Comparison>(memory[kind]));
  }
  summary.all_memory = summarise(std::span<const Comparison>(all_memory));
  return summary;
}

}  // namespace meshgauge
