// What a measured training step came to.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/count/ledger.hpp"
#include "native/harness/runtime.hpp"
#include "native/harness/sampler.hpp"
#include "native/step/scenario.hpp"

namespace meshgauge::step {

/// The same step four times over: with kernels alone, collectives alone, both, and both one after the other.
enum class Mode { overlapped, serial, compute, communication };
inline constexpr std::size_t mode_count = 4;

struct HeldLine {
  Category category;
  std::string id;
  std::array<std::size_t, phase_count> peaks{};  ///< bytes
};

/// Of one rank, but for times, which are the largest over ranks.
struct Measured {
  std::array<harness::Summary, mode_count> times;
  double loss = 0, gradient_norm = 0;  ///< of the last step in which ranks spoke
  bool equal_weights = true;           ///< on all ranks; stage 3 holds no weights twice
  std::size_t calls = 0;
  double sent_bytes = 0;  ///< of a step's collectives, as nccl-tests counts them
  std::vector<HeldLine> lines;
  std::array<std::size_t, phase_count> held{};  ///< of all lines together

  [[nodiscard]] const harness::Summary& time(Mode mode) const { return times[static_cast<std::size_t>(mode)]; }
};

struct MeasurePlan {
  Job job;
  Setup setup;
  harness::SamplePlan samples;
};

/// In a build with OpenBLAS.
[[nodiscard]] Measured measure_on_cpu(harness::Runtime&, const MeasurePlan&);
/// In a build with CUDA.
[[nodiscard]] Measured measure_on_gpu(harness::Runtime&, const MeasurePlan&);

}  // namespace meshgauge::step
