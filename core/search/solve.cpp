// Each answer is found by searching layouts at one value after another. Where it is certain that whatever fits at a
// value fits at every smaller one, values are halved; elsewhere all of them are tried in order.
#include "core/search/solve.hpp"

#include <algorithm>
#include <utility>

#include "core/count/parameters.hpp"
#include "core/resolve/resolve.hpp"
#include "core/search/least_memory.hpp"
#include "core/search/plan.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

constexpr std::int64_t most_gpus = 65536;

class Solver {
 public:
  Solver(const LayoutQuestion& question, const Inverse& inverse, std::function<Profile(std::int64_t)> profile_of)
      : question_(question), inverse_(inverse), profile_of_(std::move(profile_of)) {
    question_.top = 1;
    question_.shard = {};
    question_.goal = Goal::step;
    question_.reach = 1;  // nobody asks for time against memory
  }

  Solved solve() {
    switch (inverse_.unknown) {
      case Unknown::max_sequence:
        out_.unit = sequence_unit();
        halve(static_cast<std::int64_t>(1e9) / out_.unit);
        break;
      case Unknown::max_layers:
        halve(100000);
        break;
      case Unknown::max_micro_batch:
        scan_memory(descending(divisors(*question_.request.training.global_batch_size)));
        break;
      case Unknown::min_gpus:
        scan_memory(clusters(most_gpus));
        break;
      case Unknown::deadline:
        cheapest();
        break;
      case Unknown::min_global_batch:
        scan(batches());
        break;
    }
    return std::move(out_);
  }

 private:
  /// A multiple of it is cut evenly by every context and tensor size that divides the GPUs, so what is legal does not
  /// change from one multiple to the next.
  [[nodiscard]] std::int64_t sequence_unit() const {
    const ParallelismRequest& p = question_.request.parallelism;
    const std::int64_t gpus = question_.gpus.back();
    const std::int64_t ranks = p.tensor && p.context ? *p.tensor * *p.context : gpus;
    return std::max<std::int64_t>(128, 2 * ranks);
  }

  static std::vector<std::int64_t> descending(std::vector<std::int64_t> list) {
    std::reverse(list.begin(), list.end());
    return list;
  }

  /// Even parts of a node, then whole nodes.
  [[nodiscard]] std::vector<std::int64_t> clusters(std::int64_t most) const {
    const std::int64_t node = std::max<std::int64_t>(1, resolve_cluster(question_.request).gpus_per_node);
    std::vector<std::int64_t> list = divisors(node);
    for (std::int64_t n = 2 * node; n <= most; n += node) list.push_back(n);
    return list;
  }

  /// 2^i and 3 x 2^i sequences.
  [[nodiscard]] static std::vector<std::int64_t> batches() {
    std::vector<std::int64_t> list{1};
    for (std::int64_t n = 2; n <= (std::int64_t{1} << 20); n *= 2) {
      list.push_back(n);
      list.push_back(n + n / 2);
    }
    return list;
  }

  Trial attempt(std::int64_t value) {
    Trial trial{.value = value, .best = {}, .seconds = {}, .least = {}, .issues = {}};
    const LayoutQuestion question = with_value(question_, inverse_.unknown, value);
    const Profile profile = profile_of_(question.gpus.back());
    Found found = search(question, profile);
    trial.issues = std::move(found.issues);
    if (!found.frontier.empty()) trial.least = found.frontier.back().cost.memory;
    if (found.best.empty()) return trial;
    const Plan best = std::move(replay_best(question, profile, found, 1).front());
    trial.best = best.candidate;
    trial.seconds = best.step.seconds;
    trial.enough = is_enough(best);
    return trial;
  }

  /// Whether anything fits, and if not, perhaps some layout's bytes.
  Trial whether_fits(std::int64_t value, Sought sought) {
    Trial trial{.value = value, .best = {}, .seconds = {}, .least = {}, .issues = {}};
    const LayoutQuestion question = with_value(question_, inverse_.unknown, value);
    LeastMemory least = least_memory(question, profile_of_(question.gpus.back()), sought);
    trial.issues = std::move(least.issues);
    trial.least = least.bytes.value_or(Bytes{});
    trial.enough = least.fits;
    return trial;
  }

  /// The last values that were tried, with what is told of them.
  void tell(std::optional<std::int64_t> fits, std::optional<std::int64_t> next) {
    if (fits) out_.answer = attempt(*fits);
    if (next) out_.next = whether_fits(*next, Sought::fitting_or_least);
  }

  [[nodiscard]] bool is_enough(const Plan& best) const {
    if (inverse_.unknown != Unknown::deadline && inverse_.unknown != Unknown::min_global_batch) return true;
    if (inverse_.unknown == Unknown::min_global_batch) return best.step.mfu_causal >= inverse_.efficiency;
    const Scenario& s = best.scenario;
    return s.training.tokens / s.useful_tokens_per_step() * best.step.seconds <= inverse_.deadline;
  }

  /// For a layout that is legal at all values, every line of memory is a sum of products that do not become less with
  /// sequence or layers, so that what fits at a value fits at all smaller ones: once one does not fit, none beyond
  /// does.
  void halve(std::int64_t most) {
    const auto fits = [&](std::int64_t n) {
      ++out_.trials;
      return whether_fits(n * out_.unit, Sought::fitting_or_any).enough;
    };
    std::int64_t low = 0, high = 1;  // the former fits, the latter does not
    while (fits(high)) {
      low = high;
      if (high == most) return tell(low * out_.unit, {});
      high = std::min(most, 2 * high);
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    tell(low > 0 ? std::optional(low * out_.unit) : std::nullopt, high * out_.unit);
  }

  /// The first value with which something fits; every value before it was tried.
  void scan_memory(const std::vector<std::int64_t>& values) {
    std::optional<std::int64_t> before;
    for (const std::int64_t value : values) {
      if (value > 1 && too_small(value)) continue;
      ++out_.trials;
      if (whether_fits(value, Sought::fitting_or_any).enough) return tell(value, before);
      before = value;
    }
    tell({}, before);
  }

  /// The first value that is enough; every value before it was tried.
  void scan(const std::vector<std::int64_t>& values) {
    for (const std::int64_t value : values) {
      ++out_.trials;
      Trial trial = attempt(value);
      if (trial.enough) {
        out_.answer = std::move(trial);
        return;
      }
      out_.next = std::move(trial);
    }
  }

  /// The model's weights alone are more than all GPUs together hold: each is on one of them at least, in one byte at
  /// least, or half of one where the base is quantised.
  [[nodiscard]] bool too_small(std::int64_t gpus) const {
    if (inverse_.unknown != Unknown::min_gpus) return false;
    const bool offloads = question_.request.training.parameter_offload.value_or(Offload::none) != Offload::none;
    const double weights = offloads ? 0 : total_parameters(*question_.request.model) / 2;
    return weights > static_cast<double>(gpus) * resolve_cluster(question_.request).gpu.memory.value;
  }

  /// Of all clusters that meet the deadline, the one with the fewest GPU hours; all up to the one given are tried.
  void cheapest() {
    double least = 0;
    for (const std::int64_t gpus : clusters(question_.gpus.back())) {
      if (question_.gpus.back() % gpus != 0) continue;
      ++out_.trials;
      Trial trial = attempt(gpus);
      if (!trial.enough) {
        if (!out_.answer) out_.next = std::move(trial);
        continue;
      }
      const double cost = trial.seconds.value * static_cast<double>(gpus);
      if (out_.answer && cost >= least) continue;
      least = cost;
      out_.answer = std::move(trial);
    }
  }

  LayoutQuestion question_;
  const Inverse& inverse_;
  const std::function<Profile(std::int64_t)>& profile_of_;
  Solved out_;
};

}  // namespace

LayoutQuestion with_value(const LayoutQuestion& question, Unknown unknown, std::int64_t value) {
  LayoutQuestion q = question;
  ScenarioRequest& r = q.request;
  switch (unknown) {
    case Unknown::max_sequence:
      r.training.sequence_length = value;
      break;
    case Unknown::max_layers:
      r.model->layers = value;
      break;
    case Unknown::max_micro_batch:
      r.training.micro_batch_size = value;
      break;
    case Unknown::min_gpus:
    case Unknown::deadline:
      r.cluster.gpus = value;
      q.gpus = {value};
      break;
    case Unknown::min_global_batch:
      r.training.global_batch_size = value;
      break;
  }
  return q;
}

Solved solve(const LayoutQuestion& question, const Inverse& inverse,
             const std::function<Profile(std::int64_t gpus)>& profile_of) {
  return Solver(question, inverse, profile_of).solve();
}

}  // namespace meshgauge
