// PyTorch FSDP, both generations: parameters, gradients and optimizer states sharded, units gathered when used.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

/// ZeRO stage 2 is SHARD_GRAD_OP (FSDP1) or reshard_after_forward=False (FSDP2), stage 3 is FULL_SHARD.
inline constexpr DataParallelRules fsdp_rules{.supported = true,
                                              .gradient_collective = Collective::reduce_scatter,
                                              .reduce_each_micro_batch = true,
                                              .reduce_overlaps = true,
                                              .gather = ParameterGather::each_use,
                                              .gather_overlaps = true};

inline constexpr EngineDescription fsdp1{
    .id = Engine::fsdp1,
    .name = "PyTorch FSDP1",
    .version = "torch 2.8",
    .source = "torch/distributed/fsdp/{_runtime_utils,_limiter_utils,_flat_param}.py: two all-gathers in flight",
    .newest = {2, 8},
    .hybrid_shards = true,  // HYBRID_SHARD
    .default_zero = 3,
    .zero = {{{}, {}, fsdp_rules, fsdp_rules}},
    .mixed_weights = MixedWeights::gathered,
    .buffers = {.gathered_units_forward = 2,
                .gathered_units_backward = 2,
                .reduce_input_units = 1,
                .separate_pools = true,
                .foreach_optimizer = true},
};

inline constexpr EngineDescription fsdp2{
    .id = Engine::fsdp2,
    .name = "PyTorch FSDP2 (fully_shard)",
    .version = "torch 2.8",
    .source =
        "torch/distributed/fsdp/_fully_shard/{_fsdp_param_group,_fsdp_collectives}.py: forward holds the gather "
        "output, the next one and the copied-out parameters; one reduce-scatter input alive",
    .newest = {2, 8},
    .hybrid_shards = true,  // a mesh of two dimensions
    .default_zero = 3,
    .zero = {{{}, {}, fsdp_rules, fsdp_rules}},
    .mixed_weights = MixedWeights::gathered,
    .buffers = {.gathered_units_forward = 3,
                .gathered_units_backward = 2,
                .reduce_input_units = 1,
                .separate_pools = true,
                .foreach_optimizer = true},
};

}  // namespace meshgauge::engines
