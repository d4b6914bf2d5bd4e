// Hugging Face Trainer with plain (eager) Transformers modules: DDP underneath.
#pragma once

#include "core/engine/ddp.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription hf{
    .id = Engine::hf,
    .name = "Hugging Face Trainer",
    .version = "transformers 4.46 or later",
    .source = "transformers/trainer.py over torch DistributedDataParallel; models in eager mode with sdpa attention",
    .zero = ddp_rules,
    .kernels = Kernels::eager,
    .buffers = ddp_buffers,
};

}  // namespace meshgauge::engines
