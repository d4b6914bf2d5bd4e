// The table of launch targets.
#include "core/launch/targets.hpp"

#include <algorithm>
#include <array>

namespace meshgauge {

std::span<const Target* const> launch_targets() {
  static constexpr auto table =
      std::to_array<const Target*>({&launch::torchrun, &launch::fsdp2, &launch::deepspeed, &launch::accelerate,
                                    &launch::megatron, &launch::torchtitan, &launch::slurm});
  return table;
}

const Target* target_of(Engine engine) {
  for (const Target* target : launch_targets()) {
    if (std::find(target->engines.begin(), target->engines.end(), engine) != target->engines.end()) return target;
  }
  return nullptr;
}

}  // namespace meshgauge
