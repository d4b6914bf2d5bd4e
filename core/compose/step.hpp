// The step: counts priced and composed into seconds, with a breakdown that sums.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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

struct StepReport {
  Seconds seconds{}, low{}, high{};
  std::array<Seconds, part_count> parts{};
  std::vector<PricedTransfer> traffic;
  StepFlops flops;
  std::int64_t slowest_stage = 0;
  double tokens_per_second_per_gpu = 0;
  FlopsPerSecond model_flops_per_gpu{};          ///< causal convention
  double mfu_causal = 0, mfu_full = 0, hfu = 0;  ///< over the dense datasheet peak of the training precision
};

[[nodiscard]] StepReport estimate_step(const Scenario&, const Profile&);

/// Length of the whole run. Needs training.tokens > 0.
struct RunReport {
  double steps = 0;
  double days = 0;
  double gpu_hours = 0;
  std::optional<double> cost_usd;
  double goodput = 1;  ///< share of time that trains; 1 until failures are modelled
};
[[nodiscard]] std::optional<RunReport> estimate_run(const Scenario&, const StepReport&);

}  // namespace meshgauge
