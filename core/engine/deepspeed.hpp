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
    .buffers = {.bucket_elements = 5e8,
                .bucket_copies = 2,
                .live_parameter_elements = 5e8,  // parameters reused within stage3_max_reuse_distance 1e9 stay
                .prefetch_elements = 5e7},
};

}  // namespace meshgauge::engines
