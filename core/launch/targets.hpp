// Every target, each in a file of its own.
#pragma once

#include "core/launch/launch.hpp"

namespace meshgauge::launch {

extern const Target accelerate;
extern const Target deepspeed;
extern const Target fsdp2;
extern const Target megatron;
extern const Target slurm;
extern const Target torchrun;
extern const Target torchtitan;

}  // namespace meshgauge::launch
