// DistributedDataParallel under torchrun. torch/nn/parallel/distributed.py, torch/distributed/run.py (torch 1.13
// to 2.8).
#include <array>

#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines = std::to_array<Engine>({Engine::ddp, Engine::single});
constexpr auto carries = program_fields_and("/training/reduce_dtype");

void check(const Scenario& s, Findings& findings) {
  check_program(s, std::array{Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16, Precision::pure_bf16},
                std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::momentum}, findings);
  allow_only<DataType>("/training/reduce_dtype", s.training.reduce_dtype, std::array{DataType::fp32, DataType::bf16},
                       findings);
  allow_only<Offload>("/training/optimizer_offload", s.training.optimizer_offload, std::array{Offload::none}, findings);
  allow_only<Offload>("/training/parameter_offload", s.training.parameter_offload, std::array{Offload::none}, findings);
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, program_of(s));
  set.warnings = program_warnings(s);
  return set;
}

}  // namespace

const Target torchrun{.name = "torchrun",
                      .summary = "PyTorch DistributedDataParallel, started by torchrun",
                      .version = "torch 1.13 or later",
                      .engines = engines,
                      .carries = carries,
                      .check = check,
                      .emit = emit};

}  // namespace meshgauge::launch
