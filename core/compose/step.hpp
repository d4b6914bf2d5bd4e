// The step: counts priced and composed into seconds, with a breakdown that sums.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/compose/replay.hpp"
#include "core/count/flops.hpp"
#include "core/count/traffic.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

enum class Part {
  compute,
  recompute,
  bubble,
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline_parallel,
  data_parallel,
  optimizer,
  overhead
};
MESHGAUGE_NAMES(Part, "compute", "recompute", "bubble", "tensor_parallel", "context_parallel", "expert_parallel",
                "pipeline_parallel", "data_parallel", "optimizer", "overhead");
inline constexpr std::size_t part_count = 10;

/// A transfer with its price. Seconds are of all calls of a step.
struct PricedTransfer {
  Transfer transfer;
  Route route;
  Seconds seconds{};
  Seconds exposed{};
  std::int64_t first_stage = 0, last_stage = 0;  ///< equal on all stages between
};

/// What one pipeline rank does during the step.
struct StageTimeline {
  std::vector<Event> events;  ///< passes and messages by their start, then what follows the last backward
};

struct StepReport {
  Seconds seconds{}, low{}, high{};
  std::array<Seconds, part_count> parts{};
  std::vector<PricedTransfer> traffic;
  std::vector<StageTimeline> timeline;  ///< of each rank; empty unless recorded, or if there is too much to record
  StepFlops flops;
  std::int64_t slowest_stage = 0;
  Seconds waiting_for_host{};  ///< of the slowest stage's GPU, for launches
  double tokens_per_second_per_gpu = 0;
  FlopsPerSecond model_flops_per_gpu{};          ///< causal convention
  double mfu_causal = 0, mfu_full = 0, hfu = 0;  ///< over the dense datasheet peak of the training precision

  /// Of all transfers of the slowest stage, whatever hides them; and what does not hide.
  [[nodiscard]] Seconds communication() const;
  [[nodiscard]] Seconds exposed() const;

  [[nodiscard]] constexpr bool host_bound() const {
    constexpr double noticeable = 0.1;
    return waiting_for_host > noticeable * seconds;
  }
};

/// Replays the schedule event by event; its closed form stands in where that would be more than `most` passes.
[[nodiscard]] StepReport estimate_step(const Scenario&, const Profile&, Record = Record::no,
                                       std::int64_t most = most_replayed);

/// The same for a step that is of interest up to a limit: nothing, if it is certain without a replay that it takes
/// longer.
[[nodiscard]] std::optional<StepReport> estimate_step_within(const Scenario&, const Profile&, Seconds limit);

/// What every step takes beside its passes: data, logging, launch of the optimizer.
[[nodiscard]] Seconds fixed_time(const Scenario&, const Profile&);

/// The step of the busiest rank, which is `parts` without bubble and fixed time, when the last rank is through at
/// `end`: whatever it waits for, in the schedule or at the end, is its bubble. Fills the parts up to a sum, which is
/// returned.
[[nodiscard]] Seconds complete_parts(const Scenario&, const Profile&, Seconds end,
                                     std::array<Seconds, part_count>& parts);

/// Where a step lies among measured runs; its ratio is 1.
[[nodiscard]] RunPoint run_point(const Scenario&, const StepReport&);
/// The same from the contents of the slowest rank, its exposed communication and the step.
[[nodiscard]] RunPoint run_point(const Scenario&, const StageShape& slowest, Seconds exposed, Seconds step);

}  // namespace meshgauge
