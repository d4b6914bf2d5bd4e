// A Slurm job around the program of the scenario's engine: sbatch(1), srun(1) of Slurm 22.05.
#include <array>

#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines = std::to_array<Engine>({Engine::ddp, Engine::single, Engine::fsdp2, Engine::deepspeed,
                                                Engine::megatron, Engine::torchtitan, Engine::hf, Engine::fsdp1});

void check(const Scenario& s, Findings& findings) { target_of(s.training.engine)->check(s, findings); }

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_slurm_job(s, program_of(s));
  set.warnings = target_of(s.training.engine)->emit(s).warnings;
  return set;
}

}  // namespace

const Target slurm{.name = "slurm",
                   .summary = "a Slurm job that starts the program of the engine",
                   .version = "Slurm 20.11 or later",
                   .engines = engines,
                   .carries = {},  // those of the engine's own target
                   .check = check,
                   .emit = emit};

}  // namespace meshgauge::launch
