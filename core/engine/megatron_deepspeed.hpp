// Megatron-DeepSpeed (BLOOM, GPT-NeoX): Megatron's layers and pipeline over DeepSpeed's ZeRO optimizer.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription megatron_deepspeed{
    .id = Engine::megatron_deepspeed,
    .name = "Megatron-DeepSpeed",
    .version = "0.17",
    .source =
        "deepspeed/runtime/{pipe/engine,bf16_optimizer}.py; deepspeed/runtime/zero/stage_1_and_2.py under "
        "bigscience-workshop/Megatron-DeepSpeed",
    .newest = {0, 17},
    .tensor_parallel = true,
    .pipeline_parallel = true,
    .default_zero = 1,
    .zero = {{{.supported = true, .gradient_collective = Collective::all_reduce},
              {.supported = true, .gradient_collective = Collective::all_reduce, .gather = ParameterGather::step_end}}},
    .mixed_weights = MixedWeights::half_master,
    .keeps_half_gradients = true,  // BF16_Optimizer adds each micro-batch's bf16 gradients to fp32 ones
    // bigscience-workshop/Megatron-DeepSpeed megatron/mpu/layers.py: a plain all-reduce in the backward of the input;
    // microsoft/Megatron-DeepSpeed took Megatron-LM 3.0's asynchronous one over in 2023.
    .asynchronous_input_gradients = {0, 9},
    .kernels = Kernels::fused,
    // fragmentation: BLOOM's nvidia-smi readings (BigScience tr11-176B chronicles, 63 runs) beside what is counted.
    // Buckets of reduce_bucket_size and allgather_bucket_size, 5e8 elements each, and the flattened copy of the first.
    .buffers = {.bucket_elements = 5e8, .bucket_copies = 2, .fragmentation = 0.05, .modules = 0.9 * 1073741824.0},
};

}  // namespace meshgauge::engines
