// Every transfer of a step: which collective, in which group, how many bytes, how often, and what can hide it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/count/stage.hpp"
#include "core/engine/collective.hpp"
#include "core/scenario/names.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

enum class Group {
  tensor_parallel,
  context_parallel,
  pipeline_parallel,
  expert_parallel,
  expert_tensor_parallel,
  data_parallel,
  data_parallel_in_node,       ///< ZeRO++: neighbours, usually of one node
  data_parallel_across_nodes,  ///< and the ranks at the same place of each
  expert_data_parallel,
  replica_data_parallel,  ///< ranks that hold the same shard: one of each sharded copy (HSDP, optimizer instances)
  embedding,
  world
};
MESHGAUGE_NAMES(Group, "tensor_parallel", "context_parallel", "pipeline_parallel", "expert_parallel",
                "expert_tensor_parallel", "data_parallel", "data_parallel_in_node", "data_parallel_across_nodes",
                "expert_data_parallel", "replica_data_parallel", "embedding", "world");

/// When a transfer runs, hence what runs beside it.
enum class When {
  forward_layer,    ///< inside each layer's forward, each micro-batch
  backward_layer,   ///< inside each layer's backward, each micro-batch
  recompute_layer,  ///< in the forward that recompute repeats
  loss,             ///< at the head, each micro-batch
  stage_boundary,   ///< between pipeline stages
  forward_gather,   ///< parameters before use, ahead of compute
  backward_gather,  ///< parameters again before backward
  gradient_reduce,  ///< while the backward runs
  step_end          ///< after the last backward: optimizer, parameter gather, norms
};
MESHGAUGE_NAMES(When, "forward_layer", "backward_layer", "recompute_layer", "loss", "stage_boundary", "forward_gather",
                "backward_gather", "gradient_reduce", "step_end");

/// What can run at the same time.
enum class Overlap {
  none,         ///< the stream waits
  with_compute  ///< runs beside the compute of its `when`; the price model says how much stays exposed
};
MESHGAUGE_NAMES(Overlap, "none", "with_compute");

struct Transfer {
  const char* id;  ///< "tp_forward_all_gather", ...; stable key
  Collective collective;
  Group group;
  std::int64_t group_size;
  DataType dtype;
  double bytes;           ///< of one call: the full tensor over the group (nccl-tests "size"); send_recv: the message
  double count_per_step;  ///< calls of one rank in one step
  When when;
  Overlap overlap;
  const char* source;
  double messages = 1;     ///< kernels that one call is cut into (gradient buckets)
  std::int64_t peer = -1;  ///< of a message between stages: the other end
};

/// All transfers of the rank at pipeline position `stage`; groups of one rank and empty messages are left out.
[[nodiscard]] std::vector<Transfer> stage_traffic(const Scenario&, std::int64_t stage);
/// The same into `out`, whose memory is used again.
void stage_traffic(const Scenario&, std::int64_t stage, std::vector<Transfer>& out);

/// Whether transfers of what recompute runs again are wanted: beside the others, not at all, or nothing else.
enum class Repeats { with, without, alone };

/// Of them, those of the passes and between stages, and those of data parallelism, with the numbers all ranks agree on.
/// `shape` is what the rank holds.
void pass_traffic(const Scenario&, std::int64_t stage, const StageShape& shape, Repeats, std::vector<Transfer>& out);
void data_traffic(const Scenario&, std::int64_t stage, const StageShape& shape, std::vector<Transfer>& out);

/// Of the former, those that the layers, the embedding and the head in `shape` cause: the share of one chunk of the
/// rank.
void layer_traffic(const Scenario&, std::int64_t stage, const StageShape& shape, Repeats, std::vector<Transfer>& out);

/// Ranks of a group that is this layout's: its degrees multiplied.
[[nodiscard]] std::int64_t group_size(const Scenario&, Group);

/// Ranks of one group that sit in the same node, in Megatron's order tp-cp-ep-dp-pp (tp fastest).
[[nodiscard]] std::int64_t group_members_per_node(const Scenario&, Group);

/// The same within so many consecutive GPUs.
[[nodiscard]] std::int64_t group_members_within(const Scenario&, Group, std::int64_t gpus);

/// True if two pipeline stages lie in different nodes.
[[nodiscard]] bool stages_span_nodes(const Scenario&, std::int64_t a, std::int64_t b);

/// True if they lie in different blocks of an oversubscribed network.
[[nodiscard]] bool stages_span_blocks(const Scenario&, std::int64_t a, std::int64_t b);

}  // namespace meshgauge
