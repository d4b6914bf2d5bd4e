// Data parallelism: gradients and parameters, as the engine's description says, and the scalars of a step.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/count/parameters.hpp"
#include "core/count/traffic_sink.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge {
namespace {

/// torch/nn/parallel/comm.py: broadcast_coalesced and reduce_add_coalesced work in buffers of 10 MiB.
constexpr double coalesced_bytes = 10 * 1048576.0;

/// What one data-parallel group of the rank shares.
struct Replica {
  Group group;
  std::int64_t size;
  double elements;  ///< of parameters, before sharding
  bool experts;
};

struct Context {
  TrafficSink& sink;
  const EngineDescription& engine;
  const DataParallelRules& rules;
  DataType parameter, gradient;  ///< as they travel
  double micro_batches;          ///< that gather and reduce by themselves
};

DataType parameter_dtype(const EngineDescription& engine, const TrafficSink& sink) {
  // Megatron --fp8-param-gather, torchao enable_fsdp_float8_all_gather
  if (sink.training().fp8_parameters && is_low(sink.training().precision)) return DataType::fp8;
  const bool whole = is_mixed(sink.training().precision) && engine.mixed_weights == MixedWeights::autocast;
  return whole ? DataType::fp32 : sink.activation;
}

double buckets(const Context& c, const Replica& replica) {
  const BufferRules& rules = c.engine.buffers;
  double elements =
      rules.bucket_bytes > 0 ? rules.bucket_bytes / bytes_of(c.gradient) : bucket_elements(rules, c.sink.training());
  elements = std::max(elements, rules.bucket_elements_per_rank * static_cast<double>(replica.size));
  return elements > 0 ? std::ceil(replica.elements / elements) : 1;
}

Overlap overlap_if(bool overlaps) { return overlaps ? Overlap::with_compute : Overlap::none; }

void all_gradients(const Context& c, const Replica& replica) {
  c.sink.add(
      {.id = replica.experts ? "dp_expert_gradients" : "dp_gradients",
       .collective = c.rules.gradient_collective,
       .group = replica.group,
       .group_size = replica.size,
       .dtype = c.gradient,
       .bytes = bytes_of(c.gradient) * replica.elements,
       .count_per_step = c.rules.reduce_each_micro_batch ? c.micro_batches : 1,
       .when = c.rules.reduce_overlaps || c.rules.reduce_each_micro_batch ? When::gradient_reduce : When::step_end,
       .overlap = overlap_if(c.rules.reduce_overlaps),
       .source = c.engine.source,
       .messages = buckets(c, replica)});
}

void gather_at_step_end(const Context& c, const Replica& replica) {
  c.sink.add({.id = replica.experts ? "dp_expert_parameters" : "dp_parameters",
              .collective = c.rules.gather_collective,
              .group = replica.group,
              .group_size = replica.size,
              .dtype = c.parameter,
              .bytes = bytes_of(c.parameter) * replica.elements,
              .count_per_step = 1,
              .when = c.rules.gather_overlaps ? When::forward_gather : When::step_end,
              .overlap = overlap_if(c.rules.gather_overlaps),
              .source = c.engine.source,
              .messages = buckets(c, replica)});
}

/// Each rank's shard of the reduced gradients is summed over the sharded copies, unit by unit or bucket by bucket.
void sum_over_replicas(const Context& c, const Replica& replica) {
  const bool units = c.rules.gather == ParameterGather::each_use && !c.engine.buffers.reuses_gathered;
  const double layers = static_cast<double>(c.sink.shape.blocks()) + 1;  // and the root unit
  c.sink.add(
      {.id = replica.experts ? "dp_replica_expert_gradients" : "dp_replica_gradients",
       .collective = Collective::all_reduce,
       .group = Group::replica_data_parallel,
       .group_size = group_size(c.sink.scenario, Group::replica_data_parallel),
       .dtype = c.gradient,
       .bytes = bytes_of(c.gradient) * replica.elements / static_cast<double>(replica.size),
       .count_per_step = c.rules.reduce_each_micro_batch ? c.micro_batches : 1,
       .when = c.rules.reduce_overlaps || c.rules.reduce_each_micro_batch ? When::gradient_reduce : When::step_end,
       .overlap = overlap_if(c.rules.reduce_overlaps),
       .source = "torch/distributed/fsdp/_runtime_utils.py _reduce_grad, hybrid strategies; Megatron-LM "
                 "core/distributed/param_and_grad_buffer.py start_grad_sync, several optimizer instances",
       .messages = units ? layers : buckets(c, replica)});
}

/// A unit that is gathered and reduced as a whole: a layer of one kind, or everything outside the layers.
struct Unit {
  const char* gather;
  const char* gather_again;
  const char* reduce;
  double elements;
  double count;
};

void move_unit(const Context& c, const Replica& replica, const Unit& unit, bool gathers_again) {
  Transfer t{.id = unit.gather,
             .collective = c.rules.gather_collective,
             .group = replica.group,
             .group_size = replica.size,
             .dtype = c.parameter,
             .bytes = bytes_of(c.parameter) * unit.elements,
             .count_per_step = unit.count * c.micro_batches,
             .when = When::forward_gather,
             .overlap = overlap_if(c.rules.gather_overlaps),
             .source = c.engine.source};
  c.sink.add(t);
  if (gathers_again) {
    t.id = unit.gather_again;
    t.when = When::backward_gather;
    c.sink.add(t);
  }
  c.sink.add({.id = unit.reduce,
              .collective = c.rules.gradient_collective,
              .group = replica.group,
              .group_size = replica.size,
              .dtype = c.gradient,
              .bytes = bytes_of(c.gradient) * unit.elements,
              .count_per_step = unit.count * (c.rules.reduce_each_micro_batch ? c.micro_batches : 1),
              .when = When::gradient_reduce,
              .overlap = overlap_if(c.rules.reduce_overlaps),
              .source = c.engine.source});
}

/// FSDP: every layer is a unit; the root unit (embedding, final norm, head) is kept between forward and backward.
/// Experts with a group of their own are units apart.
void units(const Context& c, const Replica& replica, bool separate_experts, double outside) {
  const ModelShape& m = c.sink.model();
  const StageShape& shape = c.sink.shape;
  const bool again =
      c.sink.layout().zero_stage == 3 && c.sink.layout().reshard_after_forward && c.sink.layout().pipeline == 1;
  if (replica.experts) {
    const double count = c.sink.moe_layers();
    const double size = count > 0 ? replica.elements / count : 0;
    move_unit(c, replica, {"fsdp_forward_experts", "fsdp_backward_experts", "fsdp_expert_gradients", size, count},
              again);
    return;
  }
  const LayerKind dense_kind =
      m.kind == ModelKind::encoder_decoder ? LayerKind::decoder_with_cross_attention : LayerKind::dense;
  const auto size_of = [&](LayerKind kind) {
    const LayerParameters layer = layer_parameters(m, kind);
    return layer.total() - (separate_experts ? layer.experts : 0);
  };
  const std::array<Unit, 4> kinds{{
      {"fsdp_forward_layer", "fsdp_backward_layer", "fsdp_layer_gradients", size_of(dense_kind),
       static_cast<double>(shape.dense_layers)},
      {"fsdp_forward_moe_layer", "fsdp_backward_moe_layer", "fsdp_moe_layer_gradients", size_of(LayerKind::moe),
       static_cast<double>(shape.moe_layers)},
      {"fsdp_forward_encoder_layer", "fsdp_backward_encoder_layer", "fsdp_encoder_layer_gradients",
       size_of(LayerKind::encoder), static_cast<double>(shape.encoder_layers)},
      {"fsdp_forward_mtp_layer", "fsdp_backward_mtp_layer", "fsdp_mtp_layer_gradients",
       shape.mtp_layers > 0 ? mtp_parameters(m) / static_cast<double>(m.mtp_depth) : 0,
       static_cast<double>(shape.mtp_layers)},
  }};
  double whole = 0;
  for (const Unit& unit : kinds) whole += unit.count * unit.elements;
  // Sizes are of whole layers: the rank holds its part of them (tensor parallelism, linear attention).
  const double part = whole > 0 ? (replica.elements - outside) / whole : 0;
  for (Unit unit : kinds) {
    unit.elements *= part;
    move_unit(c, replica, unit, again);
  }
  move_unit(c, replica, {"fsdp_forward_root", "", "fsdp_root_gradients", outside, 1}, false);
}

/// qgZ: gradients in 4 bits, two to a byte, first among the ranks of a node, then, reduced, across nodes.
void quantised_gradients(const Context& c, const Replica& replica) {
  const std::int64_t near = group_size(c.sink.scenario, Group::data_parallel_in_node);
  Transfer t{.id = "zero3_quantised_gradients_in_node",
             .collective = Collective::all_to_all,
             .group = Group::data_parallel_in_node,
             .group_size = near,
             .dtype = DataType::int8,
             .bytes = replica.elements / 2,
             .count_per_step = c.micro_batches,
             .when = When::gradient_reduce,
             .overlap = overlap_if(c.rules.reduce_overlaps),
             .source = "ZeRO++, arXiv:2306.10209 section 3.3; deepspeed/runtime/comm/coalesced_collectives.py",
             .messages = buckets(c, replica)};
  c.sink.add(t);
  t.id = "zero3_quantised_gradients_across_nodes";
  t.group = Group::data_parallel_across_nodes;
  t.group_size = group_size(c.sink.scenario, Group::data_parallel_across_nodes);
  t.bytes /= static_cast<double>(near);
  c.sink.add(t);
}

/// ZeRO-3 of DeepSpeed: what forward used last stays gathered within the reuse distance and is not gathered again.
/// ZeRO++ gathers in 8 bits (qwZ), and in backward from the second copy near by (hpZ).
void gather_with_reuse(const Context& c, const Replica& replica) {
  const ZeroPlusPlus& z = c.sink.training().zero_plus_plus;
  const double live = std::min(replica.elements, c.sink.training().zero_buffers.reuse_distance / 2);
  const double layers = std::max<double>(1, static_cast<double>(c.sink.shape.blocks()));
  const DataType dtype = z.quantised_weights ? DataType::int8 : c.parameter;
  Transfer t{.id = "zero3_forward_parameters",
             .collective = c.rules.gather_collective,
             .group = replica.group,
             .group_size = replica.size,
             .dtype = dtype,
             .bytes = bytes_of(dtype) * replica.elements,
             .count_per_step = c.micro_batches,
             .when = When::forward_gather,
             .overlap = overlap_if(c.rules.gather_overlaps),
             .source = c.engine.source,
             .messages = layers};
  c.sink.add(t);
  t.id = "zero3_backward_parameters";
  if (z.partition > 1) {
    t.group = Group::data_parallel_in_node;
    t.group_size = z.partition;
  }
  t.bytes = bytes_of(dtype) * (replica.elements - live);
  t.when = When::backward_gather;
  c.sink.add(t);
  if (z.quantised_gradients) return quantised_gradients(c, replica);
  all_gradients(c, replica);
}

/// torch.nn.DataParallel: device 0 serves all others, one after the other where no collective does it.
void parameter_server(const Context& c, const Replica& replica) {
  TrafficSink& sink = c.sink;
  const double others = static_cast<double>(replica.size) - 1;
  const double tokens = sink.z.b * sink.z.s;
  Transfer t{.id = "dp_scatter_inputs",
             .collective = Collective::send_recv,
             .group = replica.group,
             .group_size = replica.size,
             .dtype = DataType::int64,
             .bytes = 8 * tokens,
             .count_per_step = 2 * others * c.micro_batches,  // token ids and labels
             .when = When::forward_gather,
             .overlap = Overlap::none,
             .source = c.engine.source};
  sink.add(t);
  t.id = "dp_broadcast_parameters";
  t.collective = c.rules.gather_collective;
  t.dtype = c.parameter;
  t.bytes = bytes_of(c.parameter) * replica.elements;
  t.count_per_step = c.micro_batches;
  t.messages = std::ceil(t.bytes / coalesced_bytes);
  sink.add(t);
  t.id = "dp_gather_outputs";  // the logits of every replica come back to device 0
  t.collective = Collective::send_recv;
  t.dtype = sink.activation;
  t.bytes = bytes_of(sink.activation) * tokens * static_cast<double>(sink.model().vocab);
  t.count_per_step = others * c.micro_batches;
  t.when = When::loss;
  t.messages = 1;
  sink.add(t);
  t.id = "dp_reduce_gradients";
  t.collective = c.rules.gradient_collective;
  t.dtype = c.gradient;
  t.bytes = bytes_of(c.gradient) * replica.elements;
  t.count_per_step = c.micro_batches;
  t.when = When::gradient_reduce;
  t.messages = std::ceil(t.bytes / coalesced_bytes);
  sink.add(t);
}

void move_states(const Context& c, const Replica& replica, bool separate_experts, double outside) {
  if (c.sink.layout().replicas > 1) sum_over_replicas(c, replica);
  if (c.rules.gather_collective == Collective::broadcast) return parameter_server(c, replica);
  switch (c.rules.gather) {
    case ParameterGather::none:
      return all_gradients(c, replica);
    case ParameterGather::step_end:
      all_gradients(c, replica);
      return gather_at_step_end(c, replica);
    case ParameterGather::each_use:
      if (c.engine.buffers.reuses_gathered) return gather_with_reuse(c, replica);
      return units(c, replica, separate_experts, outside);
  }
}

}  // namespace

void data_parallel_traffic(TrafficSink& sink) {
  const Parallelism& p = sink.layout();
  const EngineDescription& engine = describe_engine(sink.training().engine, p.zero_stage);
  DataParallelRules rules = data_parallel_rules(sink.training().engine, p.zero_stage);
  rules.reduce_overlaps = sink.training().overlap_gradient_reduction;
  rules.gather_overlaps = sink.training().overlap_parameter_gather;
  // With pipeline stages, units stay gathered for all micro-batches of a step (torchtitan distributed/fsdp.py).
  const bool once = rules.gather == ParameterGather::each_use && p.pipeline > 1;
  const Context context{.sink = sink,
                        .engine = engine,
                        .rules = rules,
                        .parameter = parameter_dtype(engine, sink),
                        .gradient = sink.training().reduce_dtype,
                        .micro_batches = once ? 1.0 : static_cast<double>(sink.scenario.micro_batches())};
  const RankParameters rank = rank_parameters(sink.scenario, sink.shape);
  const bool separate = p.expert > 1 || p.expert_tensor != p.tensor;  // experts replicate over another group
  move_states(context,
              {.group = Group::data_parallel,
               .size = group_size(sink.scenario, Group::data_parallel),
               .elements = separate ? rank.dense : rank.total(),
               .experts = false},
              separate, rank.outside_layers);
  if (separate) {
    move_states(context,
                {.group = Group::expert_data_parallel,
                 .size = group_size(sink.scenario, Group::expert_data_parallel),
                 .elements = rank.experts,
                 .experts = true},
                separate, 0);
  }
}

}  // namespace meshgauge
