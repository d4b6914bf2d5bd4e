// How far measured memory spreads around the prediction: by engine, by kind of memory, from published runs.
#include "core/price/memory_spread.hpp"

namespace meshgauge {
namespace {

/// allocated, reserved, device: nine of ten of bench/accuracy's measurements, over the prediction and less 1, lie
/// within 1.645 of each. fit: by maximum likelihood on the verdicts of the same files, 1,579 runs that ran or did not.
MemorySpread measured_spread(const Scenario& scenario) {
  const Training& training = scenario.training;
  if (training.peft == Peft::qlora || training.peft == Peft::gptq_lora) {  // 122 allocated, 5 reserved, 103 device
    return {.sigma = {0.15, 0.30, 0.25}, .fit = 0.05};
  }
  switch (training.engine) {
    case Engine::megatron:            // 563 allocated, 23 reserved, 16 device
    case Engine::megatron_deepspeed:  // 87 device
      return {.sigma = {0.034, 0.09, 0.12}, .fit = 0.08};
    case Engine::aleph_alpha:  // verdicts alone
      return {.sigma = {0.06, 0.09, 0.12}, .fit = 0.09};
    case Engine::deepspeed:  // 7 device: posts that leave settings and library versions out
      return {.sigma = {0.10, 0.20, 0.30}, .fit = 0.20};
    case Engine::fsdp1:
    case Engine::fsdp2:
    case Engine::torchtitan:  // 19 reserved, 2 device
      return {.sigma = {0.06, 0.25, 0.20}, .fit = 0.05};
    case Engine::single:
    case Engine::dp:
    case Engine::ddp:
    case Engine::hf:
      break;
  }
  if (training.peft == Peft::lora) return {.sigma = {0.05, 0.12, 0.12}, .fit = 0.03};  // 48 allocated, 28 device
  return {.sigma = {0.02, 0.08, 0.08}, .fit = 0.04};                                   // 35 allocated, 32 device
}

}  // namespace

MemorySpread memory_spread(const Scenario& scenario, const Profile& profile) {
  MemorySpread spread = measured_spread(scenario);
  if (profile.allocated_sigma > 0) spread.sigma[0] = spread.fit = profile.allocated_sigma;
  if (profile.reserved_sigma > 0) spread.sigma[1] = profile.reserved_sigma;
  if (profile.memory_sigma > 0) spread.sigma[2] = profile.memory_sigma;
  return spread;
}

std::array<double, memory_kind_count> half_ranges(const MemorySpread& spread) {
  std::array<double, memory_kind_count> half{};
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) half[kind] = half_range * spread.sigma[kind];
  return half;
}

}  // namespace meshgauge
