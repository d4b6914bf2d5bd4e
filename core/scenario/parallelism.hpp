// How a model and its data are cut over ranks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/scenario/names.hpp"

namespace meshgauge {

/// naive: one micro-batch crosses all stages before the next (layer-by-layer model parallelism).
enum class Schedule { naive, gpipe, pipedream, pipedream_2bw, one_f_one_b, interleaved, zb_h1, zb_h2, zb_v, dualpipe };
MESHGAUGE_NAMES(Schedule, "naive", "gpipe", "pipedream", "pipedream-2bw", "1f1b", "interleaved", "zb-h1", "zb-h2",
                "zb-v", "dualpipe");

/// Messages between stages wait in GPipe and 1F1B; Megatron overlaps them when stages are interleaved, and zero-bubble
/// schedules and DualPipe are made to.
[[nodiscard]] constexpr bool overlaps_messages(Schedule schedule) {
  switch (schedule) {
    case Schedule::naive:
    case Schedule::gpipe:
    case Schedule::pipedream:
    case Schedule::pipedream_2bw:
    case Schedule::one_f_one_b:
      return false;
    case Schedule::interleaved:
    case Schedule::zb_h1:
    case Schedule::zb_h2:
    case Schedule::zb_v:
    case Schedule::dualpipe:
      return true;
  }
  return false;
}

/// PipeDream's schedules train with older weights than those of the step, so they are no mere layout.
[[nodiscard]] constexpr bool keeps_one_version(Schedule schedule) {
  return schedule != Schedule::pipedream && schedule != Schedule::pipedream_2bw;
}

/// A set of schedules as bits.
struct Schedules {
  unsigned bits = 0;

  [[nodiscard]] constexpr bool has(Schedule s) const { return (bits >> static_cast<unsigned>(s) & 1U) != 0; }
  constexpr Schedules(std::initializer_list<Schedule> list) {
    for (const Schedule s : list) bits |= 1U << static_cast<unsigned>(s);
  }
};

enum class ContextParallelKind { ring, all_gather, ulysses };
MESHGAUGE_NAMES(ContextParallelKind, "ring", "all_gather", "ulysses");

/// Degrees multiply to the world: tensor * pipeline * context * data = GPUs. Experts fold into
/// tensor * context * data (Megatron-LM megatron/core/parallel_state.py).
struct Parallelism {
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t pipeline = 1;
  std::int64_t virtual_pipeline = 1;  ///< model chunks per rank
  Schedule schedule = Schedule::one_f_one_b;
  std::vector<std::int64_t> stage_layers;  ///< layers of each chunk in model order, model_chunks() of them
  std::int64_t context = 1;
  ContextParallelKind context_kind = ContextParallelKind::ring;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  std::int64_t data = 1;
  std::int64_t replicas = 1;           ///< groups that each hold a whole sharded copy (HSDP, optimizer instances)
  std::int64_t micro_batch_group = 0;  ///< interleaved: micro-batches that a chunk runs in a row; 0 = pipeline size
  std::int64_t zero_stage = 0;         ///< 0 none, 1 optimizer, 2 + gradients, 3 + parameters
  bool reshard_after_forward = true;   ///< FSDP: free gathered parameters between forward and backward

  [[nodiscard]] constexpr std::int64_t group_in_a_row() const {
    return micro_batch_group > 0 ? micro_batch_group : pipeline;
  }
  /// Ranks over which dense optimizer state is sharded: data * context (Megatron's "dp-cp" group) of one replica.
  [[nodiscard]] constexpr std::int64_t shard_group() const { return data * context / replicas; }
  /// Ranks that hold the same expert shard: world / (pipeline * expert_tensor * expert).
  [[nodiscard]] constexpr std::int64_t expert_data() const {
    return tensor * context * data / (expert_tensor * expert);
  }
  /// Ranks over which optimizer state of experts is sharded: those of one replica.
  [[nodiscard]] constexpr std::int64_t expert_shard_group() const {
    const std::int64_t ranks = expert_data() / replicas;
    return ranks > 1 ? ranks : 1;
  }
};

}  // namespace meshgauge
