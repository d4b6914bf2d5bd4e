// What differs between training engines, as data. A new engine is one file that fills in this description.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/engine/collective.hpp"
#include "core/scenario/parallelism.hpp"
#include "core/scenario/training.hpp"

namespace meshgauge {

/// How mixed precision holds weights on a rank.
enum class MixedWeights {
  autocast,    ///< fp32 weights, cast to 16 bit operator by operator (torch.autocast); the casts are saved for backward
  gathered,    ///< fp32 shards, 16-bit copies exist only while a unit is gathered (FSDP MixedPrecision)
  half_master  ///< 16-bit weights and an fp32 master copy in the optimizer (Megatron, DeepSpeed)
};

enum class ParameterGather {
  none,      ///< every rank holds all parameters
  step_end,  ///< updated shards are gathered once a step
  each_use   ///< gathered for each forward and, if resharded, each backward
};

/// What data parallelism does at one ZeRO stage.
struct DataParallelRules {
  bool supported = false;
  Collective gradient_collective = Collective::all_reduce;
  bool reduce_each_micro_batch = false;
  bool reduce_overlaps = false;  ///< by default, without flags
  ParameterGather gather = ParameterGather::none;
  Collective gather_collective = Collective::all_gather;  ///< DataParallel broadcasts from device 0
  bool gather_overlaps = false;
};

/// Bytes of temporary buffers, each in the unit its name says; 0 = the engine has none.
struct BufferRules {
  double bucket_bytes = 0;  ///< gradient bucket (DDP: 25 MiB)
  double first_bucket_bytes = 0;
  double bucket_elements = 0;           ///< gradient bucket counted in elements (DeepSpeed 5e8, Megatron 40e6)
  double bucket_elements_per_rank = 0;  ///< Megatron: at least this many for each data-parallel rank
  double bucket_copies = 0;             ///< buckets alive during backward (DeepSpeed: one, and its flattened copy)
  bool bucket_copies_gradients =
      false;                     ///< all buckets stay alive beside the gradients (DDP without gradient_as_bucket_view)
  bool reuses_gathered = false;  ///< ZeRO-3: parameters used again within stage3_max_reuse_distance stay gathered
  double prefetch_elements = 0;  ///< and so many are gathered ahead
  double gathered_units_forward = 0;  ///< FSDP units gathered at the forward peak, in units of 16-bit parameters
  double gathered_units_backward = 0;
  double reduce_input_units = 0;  ///< unsharded gradients waiting for their reduce-scatter, units of reduce dtype
  double step_flat_bytes = 0;     ///< at the step: the shard's 16-bit gradients flattened, before their fp32 copy
  double fragmentation = 0;       ///< share of allocated memory reserved beyond the profile's slack
  double modules = 0;             ///< bytes of CUDA modules loaded up front: before CUDA 11.7's lazy loading
  /// Gradients and what the optimizer asks for do not find the blocks of the activations: those wait for other streams
  /// (FSDP1's record_stream), or the pool is another stream's (FSDP2's reduce-scatter).
  bool separate_pools = false;
  /// Inputs of checkpointed layers and their gradients stay until the backward ends, where units are frozen.
  bool keeps_checkpoint_gradients = false;
  bool reduces_at_step = false;         ///< buckets come after the last backward, beside the gradients
  bool second_bucket_overlaps = false;  ///< stages 1 and 2: two buckets in turn where the reduction overlaps
  bool foreach_optimizer = false;       ///< torch foreach: one temporary of the size of the local parameters
};

struct EngineDescription {
  Engine id;
  const char* name;
  const char* version;  ///< of the software whose defaults these are
  const char* source;
  EngineVersion newest{};  ///< that is described; older ones differ where counting asks for the version
  bool tensor_parallel = false, pipeline_parallel = false, context_parallel = false, expert_parallel = false;
  bool multi_rank = true;
  bool hybrid_shards = false;  ///< its layouts shard over some of the replicas, and sum over the rest, as well (HSDP)
  Schedules schedules{Schedule::one_f_one_b};  ///< of its pipelines
  std::int64_t default_zero = 0;
  std::array<DataParallelRules, 4> zero;  ///< by ZeRO stage
  MixedWeights mixed_weights = MixedWeights::autocast;
  DataType mixed_gradients = DataType::fp32;     ///< accumulation under bf16 mixed precision
  DataType mixed_reduction = DataType::fp32;     ///< what the gradient collective carries
  bool keeps_fp16_main_gradients = false;        ///< fp16: an fp32 gradient copy stays beside the fp16 one (Megatron)
  bool keeps_half_gradients = false;             ///< bf16 gradients stay beside the fp32 ones that they are added to
  bool accumulates_whole = false;                ///< gradients stay unsharded until the last micro-batch (no_sync)
  bool gathers_logits = false;                   ///< each tensor rank holds the logits of the whole vocabulary
  double output_buffers = 1;                     ///< micro-batches whose logits the last stage holds
  bool gradient_buffer = false;                  ///< gradients live in one buffer that is allocated once
  bool fuses_gradient_accumulation = false;      ///< weight gradients are added inside the GEMM (no second pass)
  EngineVersion asynchronous_input_gradients{};  ///< sums them over tensor ranks beside weight gradients since then
  bool expandable_segments = false;              ///< its launcher sets PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  Kernels kernels = Kernels::eager;
  BufferRules buffers;
};

/// Elements of a gradient bucket: as asked for, else the engine's.
[[nodiscard]] inline double bucket_elements(const BufferRules& rules, const Training& training) {
  return training.zero_buffers.reduce_bucket > 0 ? training.zero_buffers.reduce_bucket : rules.bucket_elements;
}

[[nodiscard]] const EngineDescription& describe_engine(Engine);
/// The same where the description depends on the stage: Hugging Face's Trainer is DDP, and FSDP when it shards.
[[nodiscard]] const EngineDescription& describe_engine(Engine, std::int64_t zero_stage);
/// The rules of the engine's data parallelism at this ZeRO stage.
[[nodiscard]] inline const DataParallelRules& data_parallel_rules(Engine e, std::int64_t zero_stage) {
  return describe_engine(e).zero[static_cast<std::size_t>(zero_stage)];
}

}  // namespace meshgauge
