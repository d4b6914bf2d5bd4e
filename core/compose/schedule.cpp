// Pipeline schedules in closed form. Each is the largest, over the ranks, of a rank's work and the waits that its
// neighbours force on it; with equal ranks that is the bubble of the schedule's paper.
#include "core/compose/schedule.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

/// One rank among the others: its times, and what lies before and after it in the pipeline.
struct Rank {
  const StageTime& own;
  double before = 0, after = 0;  ///< forward and backward of the ranks before, after
  StageTime ahead, behind;       ///< the same, in parts
  std::int64_t ranks_after = 0;
};

double positive(double x) { return std::max(0.0, x); }

/// A forward must come back as a backward before the rank can go on: `after` seconds, less what it can do meanwhile.
/// 1F1B waits so before the first backward and again after the last forward, with one backward in between for each
/// forward (Megatron-LM core/pipeline_parallel/schedules.py).
double one_f_one_b_idle(const Rank& r, std::int64_t m) {
  const double forward = r.own.forward.value;
  const double backward = r.own.backward_input.value + r.own.backward_weight.value;
  if (m <= r.ranks_after + 1) {  // all forwards are done before the first backward comes
    return r.before + positive(r.after - static_cast<double>(m - 1) * std::min(forward, backward));
  }
  const auto n = static_cast<double>(r.ranks_after);
  return r.before + positive(r.after - n * forward) + positive(r.after - n * backward);
}

/// Zero Bubble, arXiv:2401.10241 table 1: each other rank's weight gradients fill its forward and backward, once in
/// ZB-H1, twice in ZB-H2. With an optimizer that all ranks enter together, a rank still waits for the forwards before
/// it, and for the backwards after it as far as its own forwards do not fill that wait. ZB-V, arXiv:2405.15362, passes
/// each rank twice with half a stage; exact where a backward takes no less than a forward.
double zero_bubble_idle(Schedule schedule, const Rank& r) {
  const double forward = r.ahead.forward.value, input = r.behind.backward_input.value;
  const double forwards = forward + r.behind.forward.value, inputs = input + r.ahead.backward_input.value;
  const double weights = r.ahead.backward_weight.value + r.behind.backward_weight.value;
  if (schedule == Schedule::zb_v) return std::max({forward / 2, input / 2, inputs - weights});
  if (schedule == Schedule::zb_h1) return std::max({forward, input, forwards + inputs - weights});
  return std::max({forward, input - r.behind.forward.value, forwards + inputs - 2 * weights});
}

/// DualPipe, arXiv:2412.19437 table 2: (p/2 - 1)(F&B + B - 3W) with F&B = F + B and B a whole backward, of one of the
/// rank's two chunks.
double dualpipe_idle(const StageTime& own, std::int64_t p) {
  const double forward = own.forward.value / 2, input = own.backward_input.value / 2,
               weight = own.backward_weight.value / 2;
  const double pairs = positive(static_cast<double>(p) / 2 - 1);
  return pairs * positive(forward + 2 * (input + weight) - 3 * weight);
}

double idle(Schedule schedule, const Rank& r, std::int64_t p, std::int64_t v, std::int64_t m) {
  switch (schedule) {
    case Schedule::naive:
      return static_cast<double>(m) * (r.before + r.after);
    case Schedule::pipedream:
    case Schedule::pipedream_2bw:
      return 0;  // never drained
    case Schedule::one_f_one_b:
      return one_f_one_b_idle(r, m);
    case Schedule::interleaved:  // Narayanan et al. 2021, arXiv:2104.04473 section 2.2.2: chunks of 1/v
      return one_f_one_b_idle(r, m) / static_cast<double>(v);
    case Schedule::zb_h1:
    case Schedule::zb_h2:
    case Schedule::zb_v:
      return zero_bubble_idle(schedule, r);
    case Schedule::dualpipe:
      return dualpipe_idle(r.own, p);
    case Schedule::gpipe:
      return 0;  // by phases, below
  }
  return 0;
}

/// Huang et al. 2019, arXiv:1811.06965: all forwards, then all backwards, each a flow through the ranks.
double gpipe_total(std::span<const StageTime> stages, std::int64_t m) {
  double forwards = 0, backwards = 0, slowest_forward = 0, slowest_backward = 0;
  for (const StageTime& s : stages) {
    const double backward = s.backward_input.value + s.backward_weight.value;
    forwards += s.forward.value;
    backwards += backward;
    slowest_forward = std::max(slowest_forward, s.forward.value);
    slowest_backward = std::max(slowest_backward, backward);
  }
  return forwards + backwards + static_cast<double>(m - 1) * (slowest_forward + slowest_backward);
}

}  // namespace

Makespan makespan(Schedule schedule, std::span<const StageTime> stages, std::int64_t v, std::int64_t m) {
  const auto p = static_cast<std::int64_t>(stages.size());
  if (p == 0) return {};
  // A DualPipe rank has two chunks, and each micro-batch passes one of them.
  const double passes = schedule == Schedule::dualpipe && p > 1 ? static_cast<double>(m) / 2 : static_cast<double>(m);
  StageTime ahead, behind;
  for (const StageTime& s : stages) behind += s;
  double total = 0, busiest = -1;
  std::int64_t slowest = 0;
  for (std::int64_t i = 0; i < p; ++i) {
    const StageTime& own = stages[static_cast<std::size_t>(i)];
    behind -= own;
    const double time = own.total().value;
    const Rank rank{.own = own,
                    .before = ahead.total().value,
                    .after = positive(behind.total().value),
                    .ahead = ahead,
                    .behind = behind,
                    .ranks_after = p - 1 - i};
    const double waits = p > 1 ? idle(schedule, rank, p, v, m) : 0;
    total = std::max(total, passes * time + waits);
    if (time > busiest) {
      busiest = time;
      slowest = i;
    }
    ahead += own;
  }
  if (schedule == Schedule::gpipe && p > 1) total = std::max(total, gpipe_total(stages, m));
  return {.total = {total}, .bubble = {positive(total - passes * busiest)}, .slowest = slowest};
}

double drained(Schedule schedule, std::int64_t v) {
  switch (schedule) {
    case Schedule::naive:
    case Schedule::gpipe:
    case Schedule::one_f_one_b:
      return 1;
    case Schedule::interleaved:
      return 1 / static_cast<double>(v);
    default:
      return 0;
  }
}

}  // namespace meshgauge
