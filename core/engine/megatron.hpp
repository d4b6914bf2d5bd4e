// Megatron-LM (Megatron-Core): tensor, pipeline, context and expert parallelism; stage 1 is its distributed optimizer.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription megatron{
    .id = Engine::megatron,
    .name = "Megatron-LM",
    .version = "core 0.14",
    .source =
        "megatron/core/distributed/{distributed_data_parallel,param_and_grad_buffer}.py; "
        "megatron/core/optimizer/distrib_optimizer.py; docs/user-guide/features/dist_optimizer.md",
    .newest = {0, 14},
    .tensor_parallel = true,
    .pipeline_parallel = true,
    .context_parallel = true,
    .expert_parallel = true,
    .schedules = {Schedule::one_f_one_b, Schedule::interleaved},  // core/pipeline_parallel/schedules.py
    .default_zero = 1,
    // --overlap-grad-reduce and --overlap-param-gather are off by default (arguments.py).
    .zero =
        {{{.supported = true, .gradient_collective = Collective::all_reduce},
          {.supported = true, .gradient_collective = Collective::reduce_scatter, .gather = ParameterGather::step_end}}},
    .mixed_weights = MixedWeights::half_master,
    .keeps_fp16_main_gradients = true,
    .gradient_buffer = true,
    .fuses_gradient_accumulation = true,
    .kernels = Kernels::fused,
    .buffers = {.bucket_elements = 40e6, .bucket_elements_per_rank = 1e6},
};

}  // namespace meshgauge::engines
