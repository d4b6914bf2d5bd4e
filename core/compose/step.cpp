// The step: each stage priced, the schedule replayed over the stages, and what runs after the last backward.
#include "core/compose/step.hpp"

#include <algorithm>

#include "core/compose/schedule.hpp"
#include "core/compose/stage_price.hpp"
#include "core/count/parameters.hpp"
#include "core/price/peak.hpp"

namespace meshgauge {
namespace {

Seconds& part(std::array<Seconds, part_count>& parts, Part which) { return parts[static_cast<std::size_t>(which)]; }

/// What each rank did, then reduction, optimizer and gather, each as early as the ranks' agreement allows.
std::vector<StageTimeline> timeline_of(Replay&& replay, const std::vector<StageEnd>& ends, bool agree, Seconds end,
                                       Seconds fixed) {
  Seconds reduced{};
  for (std::size_t r = 0; r < ends.size(); ++r) reduced = max(reduced, replay.rank_end[r] + ends[r].reduction);
  std::vector<StageTimeline> timeline;
  for (std::size_t r = 0; r < replay.events.size(); ++r) {
    StageTimeline& stage = timeline.emplace_back();
    stage.events = std::move(replay.events[r]);
    Seconds now = replay.rank_end[r];
    const auto add = [&](EventKind kind, Seconds length) {
      if (length.value > 0) stage.events.push_back({.start = now, .end = now + length, .kind = kind});
      now += length;
    };
    add(EventKind::gradient_reduction, ends[r].reduction);
    if (agree) now = max(now, reduced);
    add(EventKind::optimizer, ends[r].optimizer);
    add(EventKind::parameter_gather, ends[r].gather);
    now = end;
    add(EventKind::overhead, fixed);
  }
  return timeline;
}

/// Of a processor there is no datasheet: its peak is what its products were measured to reach.
void set_rates(const Scenario& scenario, const Profile& profile, StepReport& report) {
  const double gpus = std::max<double>(1, static_cast<double>(group_size(scenario, Group::world)));
  const double gpu_seconds = report.seconds.value * gpus;
  const double peak = scenario.cluster.gpu.is_cpu() ? profile.matmul_fp32.value
                                                    : peak_of(scenario.cluster.gpu, scenario.training.precision).value;
  if (gpu_seconds <= 0 || peak <= 0) return;
  report.tokens_per_second_per_gpu = scenario.useful_tokens_per_step() / gpu_seconds;
  report.model_flops_per_gpu = {report.flops.model_causal / gpu_seconds};
  report.mfu_causal = report.flops.model_causal / gpu_seconds / peak;
  report.mfu_full = report.flops.model_full / gpu_seconds / peak;
  report.hfu = report.flops.hardware / gpu_seconds / peak;
}

void set_range(const Scenario& scenario, const Profile& profile, StepReport& report) {
  double low = profile.time_low, high = profile.time_high;
  if (scenario.model.moe.used()) {
    low = std::min(low, profile.moe_time_low);
    high = std::max(high, profile.moe_time_high);
  }
  if (report.host_bound()) {
    low = std::min(low, profile.host_time_low);
    high = std::max(high, profile.host_time_high);
  }
  report.low = low * report.seconds;
  report.high = high * report.seconds;
}

Seconds sum_of(const StepReport& report, Seconds PricedTransfer::*amount) {
  Seconds sum{};
  for (const PricedTransfer& t : report.traffic) {
    if (t.first_stage <= report.slowest_stage && report.slowest_stage <= t.last_stage) sum += t.*amount;
  }
  return sum;
}

/// Runs that were measured say how much longer or shorter a step like theirs is than its parts.
void follow_runs(const Scenario& scenario, const Profile& profile, StepReport& report) {
  const double ratio = run_ratio(profile.measured, run_point(scenario, report));
  report.seconds = ratio * report.seconds;
  report.waiting_for_host = ratio * report.waiting_for_host;
  for (Seconds& s : report.parts) s = ratio * s;
  for (PricedTransfer& t : report.traffic) {
    t.seconds = ratio * t.seconds;
    t.exposed = ratio * t.exposed;
  }
  for (StageTimeline& stage : report.timeline) {
    for (Event& event : stage.events) {
      event.start = ratio * event.start;
      event.end = ratio * event.end;
    }
  }
}

}  // namespace

Seconds StepReport::communication() const { return sum_of(*this, &PricedTransfer::seconds); }
Seconds StepReport::exposed() const { return sum_of(*this, &PricedTransfer::exposed); }

RunPoint run_point(const Scenario& scenario, const StepReport& report) {
  return run_point(scenario, stage_shape(scenario, report.slowest_stage), report.exposed(), report.seconds);
}

RunPoint run_point(const Scenario& scenario, const StageShape& slowest, Seconds exposed, Seconds step) {
  const RankParameters rank = rank_parameters(scenario, slowest);
  return {.tokens = scenario.tokens_per_micro_batch(),
          .hidden = static_cast<double>(scenario.model.hidden),
          .parameters = rank.total(),
          .ranks = static_cast<double>(group_size(scenario, Group::world)),
          .communication = step.value > 0 ? exposed / step : 0};
}

Seconds fixed_time(const Scenario& scenario, const Profile& profile) {
  return scenario.training.cuda_graphs ? profile.fixed_with_graphs : profile.fixed_per_step;
}

Seconds complete_parts(const Scenario& scenario, const Profile& profile, Seconds end,
                       std::array<Seconds, part_count>& parts) {
  Seconds busy{}, seconds{};
  for (const Seconds& s : parts) busy += s;
  part(parts, Part::bubble) = scenario.parallelism.pipeline > 1 ? max(Seconds{}, end - busy) : Seconds{};
  part(parts, Part::overhead) += fixed_time(scenario, profile);
  for (const Seconds& s : parts) seconds += s;
  return seconds;
}

namespace {

StepReport report_of(const Scenario& scenario, const Profile& profile, PricedStages priced, Record record,
                     std::int64_t most) {
  StepReport report;
  std::vector<StageTime> times;
  std::vector<StageEnd> ends;
  for (const PricedStage& s : priced.stages) {
    times.push_back(s.time);
    ends.push_back(s.end);
  }
  const Pipeline pipeline = pipeline_of(scenario);
  std::optional<Replay> run;  // of one stage a step is the sum of its parts, and nothing waits
  if (pipeline.stages > 1 || record == Record::yes) run = replay(pipeline, priced.chunks, record, most);
  DrainingRanks ranks{.drained = drained(pipeline.schedule, pipeline.chunks)};
  if (!run) ranks.done = makespan(pipeline.schedule, times, pipeline.chunks, pipeline.micro_batches).total;
  const Seconds end =
      end_of_step(ends, priced.agree, [&](std::size_t r) { return run ? run->rank_end[r] : ranks.next(times[r]); });

  // The parts are those of the busiest rank; whatever it waits for, in the schedule or at the end, is its bubble.
  const auto busiest = std::max_element(times.begin(), times.end(),
                                        [](const StageTime& a, const StageTime& b) { return a.total() < b.total(); });
  report.flops = step_flops(scenario);
  report.traffic = std::move(priced.traffic);
  report.slowest_stage = busiest - times.begin();
  const PricedStage& slowest = priced.stages[static_cast<std::size_t>(report.slowest_stage)];
  report.parts = slowest.parts;
  report.seconds = complete_parts(scenario, profile, end, report.parts);
  if (run) report.timeline = timeline_of(std::move(*run), ends, priced.agree, end, fixed_time(scenario, profile));
  report.waiting_for_host = slowest.waiting_for_host;
  if (!profile.measured.runs.empty()) follow_runs(scenario, profile, report);
  set_rates(scenario, profile, report);
  set_range(scenario, profile, report);
  return report;
}

}  // namespace

StepReport estimate_step(const Scenario& scenario, const Profile& profile, Record record, std::int64_t most) {
  return report_of(scenario, profile, price_stages(scenario, profile), record, most);
}

std::optional<StepReport> estimate_step_within(const Scenario& scenario, const Profile& profile, Seconds limit) {
  PricedStages priced = price_stages(scenario, profile);
  const Pipeline pipeline = pipeline_of(scenario);
  if (pipeline.stages > 1 && count_work(pipeline) <= most_replayed && profile.measured.runs.empty()) {
    const std::vector<Seconds> least = least_ends(pipeline, priced.chunks);
    std::vector<StageEnd> ends;
    for (const PricedStage& s : priced.stages) ends.push_back(s.end);
    const Seconds end = end_of_step(ends, priced.agree, [&](std::size_t r) { return least[r]; });
    if (end + fixed_time(scenario, profile) > limit) return std::nullopt;
  }
  return report_of(scenario, profile, std::move(priced), Record::no, most_replayed);
}

}  // namespace meshgauge
