// Something that a device does again and again, and how long it takes.
#pragma once

#include <functional>
#include <vector>

#include "native/harness/sampler.hpp"

namespace meshgauge::harness {

class Kernel {
 public:
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Puts it once into the device's queue; a CPU is done when it returns.
  virtual void launch() = 0;
  /// Returns when all launches are done.
  virtual void finish() {}

 protected:
  Kernel() = default;
};

struct KernelTiming {
  Summary time;              ///< seconds of one launch
  std::size_t launches = 1;  ///< back to back in each sample, so that neither clock nor launch shows
};

/// On all ranks at once; the slowest counts. `budget_seconds` of sampling.
[[nodiscard]] KernelTiming time_of(Runtime&, Kernel&, double budget_seconds);

}  // namespace meshgauge::harness
