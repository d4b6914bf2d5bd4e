// One GPU, plain PyTorch: forward, backward, optimizer step.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription single{
    .id = Engine::single,
    .name = "PyTorch, single GPU",
    .version = "torch 2.8",
    .source = "torch/optim/optimizer.py: foreach by default on CUDA; torch.autocast keeps fp32 weights",
    .newest = {2, 8},
    .multi_rank = false,
    .zero = {{{.supported = true}}},
    .buffers = {.foreach_optimizer = true},
};

}  // namespace meshgauge::engines
