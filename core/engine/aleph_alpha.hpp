// Aleph Alpha Scaling: tensor and pipeline parallelism over plain PyTorch layers, ZeRO-1 beside the step.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription aleph_alpha{
    .id = Engine::aleph_alpha,
    .name = "Aleph Alpha Scaling",
    .version = "2024",
    .source =
        "Aleph-Alpha/scaling src/scaling/core/optimizer/{optimizer,parameter_group,allreduce}.py, "
        "core/nn/parallel_module/parallel_module.py, transformer/model/layers/lm_head.py",
    .newest = {2024, 10},
    .tensor_parallel = true,
    .pipeline_parallel = true,
    .default_zero = 1,
    // optimizer.py step: all gradients are all-reduced in fp32 when the last backward is done, whatever is sharded.
    .zero = {{{.supported = true, .gradient_collective = Collective::all_reduce},
              {.supported = true, .gradient_collective = Collective::all_reduce, .gather = ParameterGather::step_end}}},
    .mixed_weights = MixedWeights::half_master,
    .mixed_gradients = DataType::bf16,
    .mixed_reduction = DataType::fp32,
    .gathers_logits = true,
    // train.py required_buffer_count: never fewer than two stage outputs, and the last stage's is only overwritten.
    .output_buffers = 2,
    .kernels = Kernels::eager,
    // allreduce.py: each bucket is flattened in 16 bits and copied to fp32.
    .buffers = {.bucket_elements = 5e8, .bucket_copies = 1, .reduces_at_step = true, .foreach_optimizer = true},
};

}  // namespace meshgauge::engines
