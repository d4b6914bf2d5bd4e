// The step: each stage priced, the schedule laid over the stages, and what runs after the last backward.
#include "core/compose/step.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/compose/schedule.hpp"
#include "core/compose/stage_cost.hpp"
#include "core/compose/transfer_cost.hpp"

namespace meshgauge {
namespace {

Seconds& part(std::array<Seconds, part_count>& parts, Part which) { return parts[static_cast<std::size_t>(which)]; }

/// One pipeline rank over a whole step.
struct Stage {
  StageShape shape;
  StageTime time;                           ///< of one micro-batch, transfers included
  std::array<Seconds, part_count> parts{};  ///< of the step; neither bubble nor fixed time
  Seconds after{};                          ///< exposed after the last backward: data parallelism, optimizer
  Seconds waiting_for_host{};
};

/// Exposed seconds of a micro-batch's transfers by pass.
struct PassTransfers {
  Seconds forward{}, backward{}, recompute{};
};

PassTransfers pass_transfers(const std::vector<PricedTransfer>& priced, double passes) {
  PassTransfers sum;
  for (const PricedTransfer& p : priced) {
    if (!inside_passes(p.transfer)) continue;
    const Seconds each = p.exposed / passes;
    switch (p.transfer.when) {
      case When::backward_layer:
        sum.backward += each;
        break;
      case When::recompute_layer:
        sum.recompute += each;
        break;
      case When::stage_boundary:  // a rank sends as much with its forwards as with its backwards
        sum.forward += 0.5 * each;
        sum.backward += 0.5 * each;
        break;
      default:
        sum.forward += each;
        break;
    }
  }
  return sum;
}

/// Micro-batches that cross each layer of a rank: half of them under DualPipe, which feeds both ends.
double passes_of(const Scenario& scenario) {
  const auto m = static_cast<double>(scenario.micro_batches());
  return scenario.parallelism.schedule == Schedule::dualpipe && scenario.parallelism.pipeline > 1 ? m / 2 : m;
}

/// Seconds that a backward waits for the host, in its input and its weight gradients.
struct BackwardWait {
  Seconds input{}, weight{};
};

BackwardWait backward_wait(Schedule schedule, Seconds host, Seconds input, Seconds weight) {
  const bool apart = schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::zb_v ||
                     schedule == Schedule::dualpipe;
  if (!apart) return {.input = max(Seconds{}, host - (input + weight))};
  // The two run at different times, each with its own launches: a third of them are weight gradients.
  return {.input = max(Seconds{}, host * (2.0 / 3) - input), .weight = max(Seconds{}, host / 3 - weight)};
}

Stage price_stage(const Scenario& scenario, const Profile& profile, const CostTable& table, std::int64_t index,
                  const StageShape& shape, std::vector<Transfer>& traffic, std::vector<PricedTransfer>& priced) {
  Stage stage;
  stage.shape = shape;
  const LayerCost kernels = stage_kernels(scenario, table, shape);
  stage_traffic(scenario, index, traffic);
  price_transfers(scenario, profile, index, kernels, traffic, priced);

  const double passes = passes_of(scenario);
  const PassTransfers transfers = pass_transfers(priced, passes);
  const Seconds forward = kernels.forward + kernels.forward_gaps + transfers.forward;
  const Seconds backward = kernels.backward_input + kernels.backward_weight + kernels.recompute +
                           kernels.backward_gaps + kernels.recompute_gaps + transfers.backward + transfers.recompute;
  const Seconds wait_forward = max(Seconds{}, kernels.host_forward - forward);
  const BackwardWait wait = backward_wait(scenario.parallelism.schedule, kernels.host_backward,
                                          backward - kernels.backward_weight, kernels.backward_weight);
  stage.time = {.forward = forward + wait_forward,
                .backward_input = backward - kernels.backward_weight + wait.input,
                .backward_weight = kernels.backward_weight + wait.weight};
  stage.waiting_for_host = passes * (wait_forward + wait.input + wait.weight);

  const double windows = passes / static_cast<double>(scenario.micro_batches());
  expose_data_parallel(scenario, profile,
                       {.forward = windows * stage.time.forward,
                        .backward = windows * (stage.time.backward_input + stage.time.backward_weight)},
                       priced);
  part(stage.parts, Part::compute) = passes * (kernels.forward + kernels.backward_input + kernels.backward_weight);
  part(stage.parts, Part::recompute) = passes * kernels.recompute;
  part(stage.parts, Part::overhead) =
      passes * (kernels.forward_gaps + kernels.backward_gaps + kernels.recompute_gaps) + stage.waiting_for_host;
  for (const PricedTransfer& p : priced) {
    part(stage.parts, part_of(p.transfer)) += p.exposed;
    if (!inside_passes(p.transfer)) stage.after += p.exposed;
  }
  const Seconds optimizer = optimizer_time(scenario, profile, shape);
  part(stage.parts, Part::optimizer) = optimizer;
  stage.after += optimizer;
  return stage;
}

bool same(const PricedTransfer& a, const PricedTransfer& b) {
  return std::string_view(a.transfer.id) == b.transfer.id && a.transfer.bytes == b.transfer.bytes &&
         a.transfer.count_per_step == b.transfer.count_per_step && a.transfer.group_size == b.transfer.group_size &&
         a.route == b.route && a.exposed == b.exposed && a.seconds == b.seconds;
}

/// Adds a stage's transfers to the report; equal ones of the stage before become one line.
void merge(const std::vector<PricedTransfer>& priced, std::vector<PricedTransfer>& report) {
  for (const PricedTransfer& p : priced) {
    const auto line = std::find_if(report.begin(), report.end(), [&](const PricedTransfer& r) {
      return r.last_stage == p.first_stage - 1 && same(r, p);
    });
    if (line == report.end()) {
      report.push_back(p);
    } else {
      line->last_stage = p.last_stage;
    }
  }
}

/// Stages between the ends with the same contents and neighbours in the same place cost the same.
bool repeats(const Scenario& scenario, const Stage& before, const StageShape& shape, std::int64_t index) {
  const std::int64_t last = scenario.parallelism.pipeline - 1;
  if (index < 2 || index >= last || shape.embedding || shape.head || !(before.shape == shape)) return false;
  if (scenario.parallelism.schedule == Schedule::dualpipe) return false;  // the pair may share a node or not
  const auto far = [&](std::int64_t from) {
    return std::pair(stages_span_nodes(scenario, from, from + 1), stages_span_blocks(scenario, from, from + 1));
  };
  return far(index - 1) == far(index - 2) && far(index) == far(index - 1);
}

std::vector<Stage> price_stages(const Scenario& scenario, const Profile& profile, std::vector<PricedTransfer>& report) {
  const CostTable table = cost_table(scenario, profile);
  std::vector<Stage> stages;
  stages.reserve(static_cast<std::size_t>(scenario.parallelism.pipeline));
  std::vector<Transfer> traffic;
  std::vector<PricedTransfer> priced;
  for (std::int64_t i = 0; i < scenario.parallelism.pipeline; ++i) {
    const StageShape shape = stage_shape(scenario, i);
    if (i > 0 && repeats(scenario, stages.back(), shape, i)) {
      for (PricedTransfer& line : report) {
        if (line.last_stage == i - 1) line.last_stage = i;
      }
      stages.push_back(stages.back());
      continue;
    }
    stages.push_back(price_stage(scenario, profile, table, i, shape, traffic, priced));
    merge(priced, report);
  }
  return stages;
}

/// When the last rank is done. In schedules that drain, a rank finishes its last backward before those in front of it
/// and starts its share of data parallelism that much earlier.
Seconds end_of_step(Schedule schedule, const std::vector<Stage>& stages, Seconds span, std::int64_t v) {
  double drained = 0;
  switch (schedule) {
    case Schedule::naive:
    case Schedule::gpipe:
    case Schedule::one_f_one_b:
      drained = 1;
      break;
    case Schedule::interleaved:
      drained = 1 / static_cast<double>(v);
      break;
    default:
      break;
  }
  Seconds end{}, backwards_before{};
  for (const Stage& s : stages) {
    end = max(end, span - drained * backwards_before + s.after);
    backwards_before += s.time.backward_input + s.time.backward_weight;
  }
  return end;
}

FlopsPerSecond peak_of(const Gpu& gpu, Precision precision) {
  const FlopsPerSecond half = gpu.bf16.value > 0 ? gpu.bf16 : gpu.fp16.value > 0 ? gpu.fp16 : gpu.fp32;
  const auto known = [](FlopsPerSecond rate, FlopsPerSecond otherwise) { return rate.value > 0 ? rate : otherwise; };
  switch (precision) {
    case Precision::fp32:
      return gpu.fp32;
    case Precision::tf32:
      return known(gpu.tf32, gpu.fp32);
    case Precision::fp16:
      return known(gpu.fp16, half);
    case Precision::fp8:
    case Precision::mxfp8:
      return known(gpu.fp8, half);
    case Precision::nvfp4:
      return known(gpu.fp4, half);
    case Precision::bf16:
    case Precision::pure_bf16:
      return half;
  }
  return half;
}

void set_rates(const Scenario& scenario, StepReport& report) {
  const double gpus = std::max<double>(1, static_cast<double>(group_size(scenario, Group::world)));
  const double gpu_seconds = report.seconds.value * gpus;
  const double peak = peak_of(scenario.cluster.gpu, scenario.training.precision).value;
  if (gpu_seconds <= 0 || peak <= 0) return;
  report.tokens_per_second_per_gpu = scenario.tokens_per_step() / gpu_seconds;
  report.model_flops_per_gpu = {report.flops.model_causal / gpu_seconds};
  report.mfu_causal = report.flops.model_causal / gpu_seconds / peak;
  report.mfu_full = report.flops.model_full / gpu_seconds / peak;
  report.hfu = report.flops.hardware / gpu_seconds / peak;
}

void set_range(const Scenario& scenario, const Profile& profile, Seconds waiting_for_host, StepReport& report) {
  double low = profile.time_low, high = profile.time_high;
  if (scenario.model.moe.used()) {
    low = std::min(low, profile.moe_time_low);
    high = std::max(high, profile.moe_time_high);
  }
  constexpr double noticeable = 0.1;
  if (waiting_for_host > noticeable * report.seconds) {
    low = std::min(low, profile.host_time_low);
    high = std::max(high, profile.host_time_high);
  }
  report.low = low * report.seconds;
  report.high = high * report.seconds;
}

}  // namespace

StepReport estimate_step(const Scenario& scenario, const Profile& profile) {
  StepReport report;
  report.flops = step_flops(scenario);
  const std::vector<Stage> stages = price_stages(scenario, profile, report.traffic);

  std::vector<StageTime> times;
  times.reserve(stages.size());
  for (const Stage& s : stages) times.push_back(s.time);
  const Parallelism& p = scenario.parallelism;
  const Makespan span = makespan(p.schedule, times, p.virtual_pipeline, scenario.micro_batches());
  const Seconds end = end_of_step(p.schedule, stages, span.total, p.virtual_pipeline);

  // The parts are those of the busiest rank; whatever it waits for, in the schedule or at the end, is its bubble.
  const Stage& slowest = stages[static_cast<std::size_t>(span.slowest)];
  report.slowest_stage = span.slowest;
  report.parts = slowest.parts;
  Seconds busy{};
  for (const Seconds& s : slowest.parts) busy += s;
  part(report.parts, Part::bubble) = p.pipeline > 1 ? max(Seconds{}, end - busy) : Seconds{};
  part(report.parts, Part::overhead) += profile.fixed_per_step;
  for (const Seconds& s : report.parts) report.seconds += s;
  set_rates(scenario, report);
  set_range(scenario, profile, slowest.waiting_for_host, report);
  return report;
}

}  // namespace meshgauge
