#include "native/harness/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/validate/summary.hpp"
#include "native/harness/clock.hpp"

namespace meshgauge::harness {
Summary summary_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {seconds.size(), quantile(seconds, 0.5), quantile(seconds, 0.05), quantile(seconds, 0.95)};
}

double median_uncertainty(std::vector<double> seconds) {
  // The number of samples below the true median is binomial with p = 1/2; its normal approximation gives the order
  // statistics that enclose the median with 95 % confidence (Conover, Practical Nonparametric Statistics, section 3.2).
  constexpr std::size_t fewest = 6;  // 1 - 2 * 2^-6 = 96.9 %
  if (seconds.size() < fewest) return std::numeric_limits<double>::infinity();
  std::sort(seconds.begin(), seconds.end());
  const auto n = static_cast<double>(seconds.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 standard deviations of sqrt(n) / 2
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - half)));
  const auto high = std::min(seconds.size() - 1, static_cast<std::size_t>(std::ceil(n / 2 + half)));
  const double median = quantile(seconds, 0.5);
  return median > 0 ? (seconds[high] - seconds[low]) / 2 / median : std::numeric_limits<double>::infinity();
}

std::vector<double> sample(Runtime& runtime, const SamplePlan& plan, const std::function<void()>& run) {
  for (int i = 0; i < plan.warm_up; ++i) run();
  std::vector<double> all;
  const double begin = now_seconds();
  while (all.size() < plan.most) {
    // Looks get rarer: each costs an exchange between all ranks.
    const std::size_t target = std::min(plan.most, std::max(plan.least, all.size() + all.size() / 2));
    std::vector<double> mine;
    while (all.size() + mine.size() < target) {
      runtime.progress("samples");
      runtime.world->barrier();
      const double start = now_seconds();
      run();
      mine.push_back(now_seconds() - start);
    }
    mine.push_back(runtime.leads() ? now_seconds() - begin : 0);  // so that all ranks stop together
    std::vector<double> largest = runtime.largest(mine);
    const double elapsed = largest.back();
    largest.pop_back();
    all.insert(all.end(), largest.begin(), largest.end());
    if (elapsed > plan.budget_seconds || median_uncertainty(all) <= plan.precision) break;
  }
  return all;
}

}  // namespace meshgauge::harness
