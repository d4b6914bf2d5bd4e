// All transfers of a rank, and where the members of its groups sit.
#include "core/count/traffic.hpp"

#include <algorithm>

#include "core/count/traffic_sink.hpp"

namespace meshgauge {
namespace {

/// DualPipe feeds half of the micro-batches from each end, so each of a rank's two chunks sees half of them.
double passes(const Scenario& scenario) {
  const auto m = static_cast<double>(scenario.micro_batches());
  return scenario.parallelism.schedule == Schedule::dualpipe && scenario.parallelism.pipeline > 1 ? m / 2 : m;
}

TrafficSink sink_of(const Scenario& scenario, std::int64_t stage, const StageShape& shape, std::vector<Transfer>& out) {
  return {.scenario = scenario,
          .stage = stage,
          .shape = shape,
          .z = work_sizes(scenario),
          .activation = activation_dtype(scenario.training.precision),
          .passes = passes(scenario),
          .out = out};
}

void inside_layers(TrafficSink& sink) {
  tensor_parallel_traffic(sink);
  context_parallel_traffic(sink);
  expert_parallel_traffic(sink);
}

void of_passes(TrafficSink& sink) {
  inside_layers(sink);
  pipeline_traffic(sink);
}

void of_data(TrafficSink& sink) {
  data_parallel_traffic(sink);
  scalar_traffic(sink);
}

/// Data-parallel ranks that hpZ's second copy is cut over; without it those of a node, as qgZ's first hop takes them.
std::int64_t neighbours(const Scenario& scenario) {
  const std::int64_t asked = scenario.training.zero_plus_plus.partition;
  return asked > 1 ? asked : group_members_per_node(scenario, Group::data_parallel);
}

/// Distance between neighbouring members of a group, in ranks (megatron/core/parallel_state.py, order tp-cp-ep-dp-pp;
/// experts form their own grid etp-ep-edp inside a stage).
std::int64_t group_stride(const Scenario& scenario, Group group) {
  const Parallelism& p = scenario.parallelism;
  switch (group) {
    case Group::tensor_parallel:
    case Group::expert_tensor_parallel:
    case Group::world:
      return 1;
    case Group::context_parallel:
    case Group::data_parallel:
    case Group::data_parallel_in_node:
      return p.tensor;
    case Group::data_parallel_across_nodes:
      return p.tensor * neighbours(scenario);
    case Group::expert_parallel:
      return p.expert_tensor;
    case Group::expert_data_parallel:
      return p.expert_tensor * p.expert;
    case Group::replica_data_parallel:
      return p.tensor * p.shard_group();
    case Group::pipeline_parallel:
      return p.tensor * p.context * p.data;
    case Group::embedding:
      return p.tensor * p.context * p.data * std::max<std::int64_t>(1, p.pipeline - 1);
  }
  return 1;
}

/// Whether corresponding ranks of two stages lie in different parts of so many GPUs. The last ranks of a stage may lie
/// one part further than the first ones.
bool stages_apart(const Scenario& scenario, std::int64_t a, std::int64_t b, std::int64_t gpus) {
  const std::int64_t stage = group_stride(scenario, Group::pipeline_parallel);
  return a * stage / gpus != b * stage / gpus || (a * stage + stage - 1) / gpus != (b * stage + stage - 1) / gpus;
}

}  // namespace

std::int64_t group_size(const Scenario& scenario, Group group) {
  const Parallelism& p = scenario.parallelism;
  switch (group) {
    case Group::tensor_parallel:
      return p.tensor;
    case Group::context_parallel:
      return p.context;
    case Group::pipeline_parallel:
      return p.pipeline;
    case Group::expert_parallel:
      return p.expert;
    case Group::expert_tensor_parallel:
      return p.expert_tensor;
    case Group::data_parallel:
      return p.shard_group();
    case Group::data_parallel_in_node:
      return neighbours(scenario);
    case Group::data_parallel_across_nodes:
      return p.shard_group() / neighbours(scenario);
    case Group::expert_data_parallel:
      return p.expert_shard_group();
    case Group::replica_data_parallel:
      return p.replicas;
    case Group::embedding:
      return p.pipeline > 1 ? 2 : 1;
    case Group::world:
      return p.tensor * p.pipeline * p.context * p.data;
  }
  return 1;
}

std::int64_t group_members_within(const Scenario& scenario, Group group, std::int64_t gpus) {
  return std::min(group_size(scenario, group), std::max<std::int64_t>(1, gpus / group_stride(scenario, group)));
}

std::int64_t group_members_per_node(const Scenario& scenario, Group group) {
  return group_members_within(scenario, group, scenario.cluster.gpus_per_node);
}

bool stages_span_nodes(const Scenario& scenario, std::int64_t a, std::int64_t b) {
  return stages_apart(scenario, a, b, std::max<std::int64_t>(1, scenario.cluster.gpus_per_node));
}

bool stages_span_blocks(const Scenario& scenario, std::int64_t a, std::int64_t b) {
  return scenario.cluster.oversubscription > 1 && stages_apart(scenario, a, b, scenario.cluster.gpus_per_block());
}

void stage_traffic(const Scenario& scenario, std::int64_t stage, std::vector<Transfer>& out) {
  out.clear();
  TrafficSink sink = sink_of(scenario, stage, stage_shape(scenario, stage), out);
  of_passes(sink);
  of_data(sink);
}

void pass_traffic(const Scenario& scenario, std::int64_t stage, const StageShape& shape, Repeats repeats,
                  std::vector<Transfer>& out) {
  out.clear();
  TrafficSink sink = sink_of(scenario, stage, shape, out);
  sink.repeats = repeats;
  repeats == Repeats::alone ? inside_layers(sink) : of_passes(sink);
}

void data_traffic(const Scenario& scenario, std::int64_t stage, const StageShape& shape, std::vector<Transfer>& out) {
  out.clear();
  TrafficSink sink = sink_of(scenario, stage, shape, out);
  of_data(sink);
}

void layer_traffic(const Scenario& scenario, std::int64_t stage, const StageShape& shape, Repeats repeats,
                   std::vector<Transfer>& out) {
  out.clear();
  TrafficSink sink = sink_of(scenario, stage, shape, out);
  sink.repeats = repeats;
  inside_layers(sink);
}

std::vector<Transfer> stage_traffic(const Scenario& scenario, std::int64_t stage) {
  std::vector<Transfer> out;
  stage_traffic(scenario, stage, out);
  return out;
}

}  // namespace meshgauge
