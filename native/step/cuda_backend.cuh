// The step on a GPU: products by cuBLAS, kernels as launches on the device's queue.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <functional>

#include "native/harness/cuda_check.hpp"
#include "native/harness/device.hpp"
#include "native/step/host_device.hpp"
#include "native/step/product.hpp"

namespace meshgauge::step {

/// The threads of a block share a row.
struct BlockLane {
  std::size_t first, step;

  template <class Number>
  __device__ Number sum(Number x) const {
    return combine(x, [](Number a, Number b) { return a + b; });
  }
  template <class Number>
  __device__ Number max(Number x) const {
    return combine(x, [](Number a, Number b) { return a > b ? a : b; });
  }

 private:
  /// A tree over the block: the order of additions does not depend on timing.
  template <class Number, class Operation>
  __device__ Number combine(Number x, Operation operation) const {
    __shared__ Number shared[256];
    shared[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) shared[threadIdx.x] = operation(shared[threadIdx.x], shared[threadIdx.x + half]);
      __syncthreads();
    }
    const Number result = shared[0];
    __syncthreads();  // before the next reduction writes
    return result;
  }
};

inline constexpr unsigned block_threads = 256;

template <class Kernel>
__global__ void run_each(std::size_t count, Kernel kernel) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) kernel(i);
}

template <class Kernel>
__global__ void run_rows(std::size_t count, Kernel kernel) {
  for (std::size_t row = blockIdx.x; row < count; row += gridDim.x) kernel(row, BlockLane{threadIdx.x, blockDim.x});
}

template <class Kernel>
__global__ void run_columns(std::size_t count, Kernel kernel) {
  const std::size_t column = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column < count) kernel.template run<1>(column, 1);
}

class CudaBackend {
 public:
  static constexpr std::size_t query_block = 1024;  ///< of attention: its products are large enough for the GPU

  explicit CudaBackend(harness::Device& device, int /*threads*/ = 1);
  ~CudaBackend();
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  bool computes = true;
  std::function<void()> between = [] {};  ///< NCCL moves messages by itself

  [[nodiscard]] harness::Device& device() const { return device_; }
  void zero(void* data, std::size_t bytes) {
    if (computes) harness::check(cudaMemsetAsync(data, 0, bytes, queue()), "cudaMemset");
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    if (computes) harness::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue()), "cudaMemcpy");
  }

  template <class Kernel>
  void each(std::size_t count, const Kernel& kernel) {
    if (!computes || count == 0) return;
    run_each<<<blocks(count, block_threads), block_threads, 0, queue()>>>(count, kernel);
    harness::check(cudaGetLastError(), "kernel launch");
  }
  template <class Kernel>
  void rows(std::size_t count, const Kernel& kernel) {
    if (!computes || count == 0) return;
    run_rows<<<blocks(count, 1), block_threads, 0, queue()>>>(count, kernel);
    harness::check(cudaGetLastError(), "kernel launch");
  }
  template <class Kernel>
  void columns(std::size_t count, const Kernel& kernel) {
    if (!computes || count == 0) return;
    constexpr unsigned threads = 32;  // few columns, long loops: more blocks
    run_columns<<<blocks(count, threads), threads, 0, queue()>>>(count, kernel);
    harness::check(cudaGetLastError(), "kernel launch");
  }

  void multiply(const Product&, const float* a, const float* b, float* c);
  void multiply(const Product&, const Bfloat16* a, const Bfloat16* b, Bfloat16* c);
  void multiply(const Product&, const Bfloat16* a, const Bfloat16* b, float* c);

 private:
  [[nodiscard]] cudaStream_t queue() const { return static_cast<cudaStream_t>(device_.queue()); }
  [[nodiscard]] static unsigned blocks(std::size_t count, unsigned each) {
    constexpr std::size_t most = 0x7fffffff;  // of a grid's x
    const std::size_t wanted = (count + each - 1) / each;
    return static_cast<unsigned>(wanted < most ? wanted : most);
  }
  void multiply(const Product&, const void* a, const void* b, void* c, cudaDataType type, cudaDataType result);

  harness::Device& device_;
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace meshgauge::step
