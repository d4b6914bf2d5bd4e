// torchtitan: FSDP2 with tensor, pipeline, context and expert parallelism over DTensor.
#pragma once

#include "core/engine/fsdp.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription torchtitan{
    .id = Engine::torchtitan,
    .name = "torchtitan",
    .version = "0.2",
    .source =
        "torchtitan/distributed/{fsdp,parallel_dims}.py, torchtitan/models/llama3/infra/parallelize.py over "
        "torch/distributed/fsdp/_fully_shard",
    .newest = {0, 2},
    .tensor_parallel = true,
    .pipeline_parallel = true,
    .context_parallel = true,
    .expert_parallel = true,
    .hybrid_shards = true,  // data_parallel_replicate_degree
    .schedules = {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved,
                  Schedule::zb_v},  // torch/distributed/pipelining/schedules.py
    .default_zero = 3,
    .zero = fsdp2.zero,
    .mixed_weights = MixedWeights::gathered,
    .expandable_segments = true,  // torchtitan run_train.sh
    .kernels = Kernels::compiled,
    .buffers = fsdp2.buffers,
};

}  // namespace meshgauge::engines
