// FSDP2 under torchrun: torch/distributed/fsdp/_fully_shard/{_fully_shard,_fsdp_api}.py (torch 2.6 or later).
#include <array>

#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines = std::to_array<Engine>({Engine::fsdp2});
constexpr auto carries = program_fields_and("/training/reduce_dtype", "/parallelism/data_parallel_replicate_size",
                                            "/parallelism/reshard_after_forward");

void check(const Scenario& s, Findings& findings) {
  const Training& t = s.training;
  check_program(s, std::array{Precision::fp32, Precision::tf32, Precision::bf16, Precision::pure_bf16},
                std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::momentum}, findings);
  allow_only<DataType>("/training/reduce_dtype", t.reduce_dtype, std::array{DataType::fp32, DataType::bf16}, findings);
  allow_only<Offload>("/training/parameter_offload", t.parameter_offload, std::array{Offload::none, Offload::cpu},
                      findings);
  if (t.optimizer_offload != t.parameter_offload) {  // CPUOffloadPolicy moves both
    reject("/training/optimizer_offload", name_of(t.optimizer_offload), std::array{name_of(t.parameter_offload)},
           findings);
  }
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, program_of(s));
  set.warnings = program_warnings(s);
  return set;
}

}  // namespace

const Target fsdp2{.name = "fsdp2",
                   .summary = "PyTorch FSDP2 (fully_shard), started by torchrun",
                   .version = "torch 2.6 or later",
                   .engines = engines,
                   .carries = carries,
                   .check = check,
                   .emit = emit};

}  // namespace meshgauge::launch
