// The step on a CPU: products by OpenBLAS, kernels as loops.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "native/harness/device.hpp"
#include "native/step/host_device.hpp"
#include "native/step/product.hpp"

namespace meshgauge::step {

/// What every backend of the step has: kernels by element, by row and by columns, and products. All are enqueued, and
/// run in order. Without `computes` nothing runs: then a step only communicates.
class CpuBackend {
 public:
  explicit CpuBackend(harness::Device& device, int threads = 1);

  static constexpr std::size_t query_block = 128;  ///< of attention: its scores stay in the cache

  bool computes = true;
  /// Called between kernels: MPI moves messages only inside its own calls.
  std::function<void()> between = [] {};

  [[nodiscard]] harness::Device& device() const { return device_; }
  void zero(void* data, std::size_t bytes) {
    if (computes) device_.zero(data, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    if (computes) device_.copy(to, from, bytes);
  }

  template <class Kernel>
  void each(std::size_t count, const Kernel& kernel) {
    if (!computes) return;
    for (std::size_t i = 0; i < count; ++i) kernel(i);
    between();
  }
  template <class Kernel>
  void rows(std::size_t count, const Kernel& kernel) {
    if (!computes) return;
    for (std::size_t i = 0; i < count; ++i) kernel(i, HostLane{});
    between();
  }
  template <class Kernel>
  void columns(std::size_t count, const Kernel& kernel) {
    if (!computes) return;
    constexpr int together = 64;  // four cache lines of fp32
    for (std::size_t first = 0; first < count; first += together) {
      const std::size_t left = count - first;
      kernel.template run<together>(first, left < together ? static_cast<int>(left) : together);
    }
    between();
  }

  void multiply(const Product&, const float* a, const float* b, float* c);
  void multiply(const Product&, const double* a, const double* b, double* c);
  void multiply(const Product&, const Bfloat16* a, const Bfloat16* b, Bfloat16* c);
  void multiply(const Product&, const Bfloat16* a, const Bfloat16* b, float* c);

 private:
  harness::Device& device_;
  std::vector<float> wide_a_, wide_b_, wide_c_;  ///< OpenBLAS multiplies bf16 on few CPUs only
};

}  // namespace meshgauge::step
