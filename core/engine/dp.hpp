// torch.nn.DataParallel: one process; device 0 broadcasts parameters, gathers outputs and reduces gradients.
#pragma once

#include "core/engine/engine.hpp"

namespace meshgauge::engines {

inline constexpr EngineDescription dp{
    .id = Engine::dp,
    .name = "torch DataParallel",
    .version = "torch 2.8",
    .source = "torch/nn/parallel/{data_parallel,replicate,_functions}.py",
    .newest = {2, 8},
    .zero = {{{.supported = true,
               .gradient_collective = Collective::reduce,
               .reduce_each_micro_batch = true,
               .gather = ParameterGather::each_use,
               .gather_collective = Collective::broadcast}}},
    .buffers = {.foreach_optimizer = true},
};

}  // namespace meshgauge::engines
