// torch DistributedDataParallel: full replicas, gradient buckets all-reduced while the backward runs.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

/// Buckets of 25 MiB, the first of 1 MiB, all alive beside the gradients unless gradient_as_bucket_view is set.
inline constexpr BufferRules ddp_buffers{.bucket_bytes = 25 * 1048576.0,
                                         .first_bucket_bytes = 1048576.0,
                                         .bucket_copies_gradients = true,
                                         .foreach_optimizer = true};

inline constexpr std::array<DataParallelRules, 4> ddp_rules{
    {{.supported = true, .gradient_collective = Collective::all_reduce, .reduce_overlaps = true}}};

inline constexpr EngineDescription ddp{
    .id = Engine::ddp,
    .name = "PyTorch DDP",
    .version = "torch 2.8",
    .source = "torch/nn/parallel/distributed.py; torch/csrc/distributed/c10d/reducer.cpp initialize_buckets",
    .newest = {2, 8},
    .zero = ddp_rules,
    .buffers = ddp_buffers,
};

}  // namespace meshgauge::engines
