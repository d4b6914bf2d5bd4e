#include "native/kernels/kernel.hpp"

#include <algorithm>
#include <array>

#include "native/harness/clock.hpp"

namespace meshgauge::harness {
namespace {

/// A sample of this length hides what starting and ending it costs, some 10 us on a GPU.
constexpr double sample_seconds = 5e-3;
constexpr std::size_t most_launches = 100'000;

double run(Kernel& kernel, std::size_t launches) {
  const double start = now_seconds();
  for (std::size_t i = 0; i < launches; ++i) kernel.launch();
  kernel.finish();
  return now_seconds() - start;
}

struct Launches {
  std::size_t number = 1;
  double seconds = 0;  ///< of all, about
};

/// Enough of them for a sample, the same on all ranks; and warm afterwards.
Launches launches_of(Runtime& runtime, Kernel& kernel) {
  (void)run(kernel, 1);  // loads code and chooses algorithms
  for (std::size_t launches = 1;; launches *= 4) {
    const std::array mine{run(kernel, launches)};
    const double seconds = runtime.largest(mine).front();
    if (seconds >= sample_seconds) return {launches, seconds};
    if (seconds > sample_seconds / 16 || launches >= most_launches) {
      const double wanted = static_cast<double>(launches) * sample_seconds / std::max(seconds, 1e-9);
      return {std::min(most_launches, static_cast<std::size_t>(wanted) + 1), sample_seconds};
    }
  }
}

}  // namespace

KernelTiming time_of(Runtime& runtime, Kernel& kernel, double budget_seconds) {
  const auto [launches, seconds] = launches_of(runtime, kernel);
  const double affordable = budget_seconds / seconds;  // a slow kernel gets a few samples all the same
  const SamplePlan plan{.warm_up = 1,
                        .least = static_cast<std::size_t>(std::clamp(affordable, 3.0, 10.0)),
                        .budget_seconds = budget_seconds};
  std::vector<double> samples = sample(runtime, plan, [&, n = launches] { (void)run(kernel, n); });
  for (double& each : samples) each /= static_cast<double>(launches);
  return {summary_of(std::move(samples)), launches};
}

}  // namespace meshgauge::harness
