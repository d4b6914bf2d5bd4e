// Hugging Face Trainer with plain (eager) Transformers modules: DDP underneath, FSDP1 where it shards.
#pragma once

#include "core/engine/ddp.hpp"
#include "core/engine/fsdp.hpp"

namespace meshgauge::engines {

/// Reserved memory of the Trainer's runs stands this much further above allocated than Megatron's: LoRA runs of
/// fms-acceleration's tables (nvidia-smi beside allocated, 28 runs on 1 to 4 A100).
inline constexpr double hf_fragmentation = 0.1;

inline constexpr EngineDescription hf{
    .id = Engine::hf,
    .name = "Hugging Face Trainer",
    .version = "transformers 4.46 or later",
    .source =
        "transformers/trainer.py over torch DistributedDataParallel or, through accelerate, FSDP; models in eager "
        "mode with sdpa attention",
    .newest = {4, 57},
    .zero = {{ddp_rules[0], {}, fsdp_rules, fsdp_rules}},
    .kernels = Kernels::eager,
    .buffers =
        [] {
          BufferRules rules = ddp_buffers;
          rules.fragmentation = hf_fragmentation;
          return rules;
        }(),
};

/// accelerate's FSDP plugin upcasts what is trained to fp32 (src/accelerate/utils/fsdp_utils.py).
/// FSDP1 puts a hook on the inputs of a frozen unit to know when to reshard it
/// (torch/distributed/fsdp/_runtime_utils.py _register_post_backward_reshard_only_hook). The Trainer's checkpointing is
/// reentrant: there these inputs are leaves, which the hook keeps alive with their .grad until the backward ends.
inline constexpr EngineDescription hf_sharded{
    .id = Engine::hf,
    .name = hf.name,
    .version = hf.version,
    .source = hf.source,
    .newest = hf.newest,
    .default_zero = 3,
    .zero = hf.zero,
    .mixed_weights = MixedWeights::gathered,
    // trainer.py _no_sync_in_gradient_accumulation; accelerate's GradientAccumulationPlugin.sync_each_batch is off.
    .accumulates_whole = true,
    .kernels = Kernels::eager,
    .buffers =
        [] {
          BufferRules rules = fsdp1.buffers;
          rules.keeps_checkpoint_gradients = true;
          rules.fragmentation = hf_fragmentation;
          return rules;
        }(),
};

}  // namespace meshgauge::engines
