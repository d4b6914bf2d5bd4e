// DeepSpeed ZeRO stages 0 to 3 with the defaults of its configuration file.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription deepspeed{
    .id = Engine::deepspeed,
    .name = "DeepSpeed ZeRO",
    .version = "0.17",
    .source = "deepspeed/runtime/zero/{config,stage_1_and_2,stage3,partitioned_param_coordinator}.py",
    .newest = {0, 17},
    .default_zero = 2,
    // Stage 1 and 2 all-reduce each bucket (use_multi_rank_bucket_allreduce), stage 2 after every micro-batch;
    // overlap_comm is on by default at stage 3 alone (zero/config.py); the closing all-gather never overlaps.
    .zero = {{{.supported = true, .gradient_collective = Collective::all_reduce},
              {.supported = true, .gradient_collective = Collective::all_reduce, .gather = ParameterGather::step_end},
              {.supported = true,
               .gradient_collective = Collective::all_reduce,
               .reduce_each_micro_batch = true,
               .gather = ParameterGather::step_end},
              {.supported = true,
               .gradient_collective = Collective::reduce_scatter,
               .reduce_each_micro_batch = true,
               .reduce_overlaps = true,
               .gather = ParameterGather::each_use,
               .gather_overlaps = true}}},
    .mixed_weights = MixedWeights::half_master,
    .mixed_gradients = DataType::bf16,
    .mixed_reduction = DataType::bf16,
    // stage_1_and_2.py, stage3.py step: the shard's gradients are flattened, the flat copy is cast to fp32. Hugging
    // Face's Trainer and most scripts hand over torch's AdamW, which has temporaries of the size of what it steps.
    .buffers = {.bucket_elements = 5e8,
                .bucket_copies = 2,
                .reuses_gathered = true,
                .prefetch_elements = 5e7,
                .step_flat_bytes = 2,
                // The step's tensors are flat, larger than any block that the backward leaves: both stay reserved.
                .separate_pools = true,
                .second_bucket_overlaps = true,
                .foreach_optimizer = true},
};

}  // namespace meshgauge::engines
