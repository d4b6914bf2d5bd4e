#include <cuda_runtime.h>
#include <nccl.h>

#include <array>
#include <string>

#include "native/harness/cuda_check.hpp"
#include "native/harness/device.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

std::string version_text(int version) {  // 13000: 13.0
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, GpuMemory memory) : index_(index), memory_(memory) {
    const int count = cuda_device_count();
    if (index < 0 || index >= count) {
      throw Failure("There is no GPU " + std::to_string(index) + ": this process sees " + std::to_string(count) +
                    ". Start at most one rank for each GPU of a node, or see CUDA_VISIBLE_DEVICES.");
    }
    select();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaDevice() override { cudaStreamDestroy(stream_); }

  [[nodiscard]] std::string name() const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index_), "cudaGetDeviceProperties");
    return properties.name;
  }
  [[nodiscard]] bool is_gpu() const override { return true; }
  [[nodiscard]] std::string address() const override {
    std::array<char, 32> text{};
    check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), index_), "cudaDeviceGetPCIBusId");
    const std::string whole(text.data());  // "0000:07:00.0"
    return whole.substr(0, whole.rfind('.'));
  }
  [[nodiscard]] void* queue() const override { return stream_; }
  [[nodiscard]] std::size_t free_bytes() const override {
    select();
    std::size_t unused = 0, total = 0;
    check(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
    return unused;
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    select();
    void* data = nullptr;
    const std::size_t some = bytes > 0 ? bytes : 1;
    const bool done =
        memory_ == GpuMemory::plain ? cudaMalloc(&data, some) == cudaSuccess : ncclMemAlloc(&data, some) == ncclSuccess;
    if (!done) {
      static_cast<void>(cudaGetLastError());
      throw Failure("No GPU memory for " + std::to_string(bytes) + " bytes: " + std::to_string(free_bytes()) +
                    " are free.");
    }
    return data;
  }
  void release(void* data) override {
    if (memory_ == GpuMemory::plain) {
      cudaFree(data);
    } else {
      ncclMemFree(data);
    }
  }

  void copy_in(void* to, const void* from_host, std::size_t bytes) override {
    move(to, from_host, bytes, cudaMemcpyHostToDevice);
  }
  void copy_out(void* to_host, const void* from, std::size_t bytes) override {
    move(to_host, from, bytes, cudaMemcpyDeviceToHost);
  }
  void copy(void* to, const void* from, std::size_t bytes) override { move(to, from, bytes, cudaMemcpyDeviceToDevice); }
  void zero(void* data, std::size_t bytes) override {
    select();
    check(cudaMemsetAsync(data, 0, bytes, stream_), "cudaMemset");
    synchronize();
  }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  void select() const { check(cudaSetDevice(index_), "cudaSetDevice"); }
  void move(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    select();
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpy");
    synchronize();
  }

  int index_;
  GpuMemory memory_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

int cuda_device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorNoDevice) return 0;
  throw Failure(std::string("No GPU can be used: ") + cudaGetErrorString(status) +
                ". Check nvidia-smi, or run between CPUs with --backend mpi.");
}

std::unique_ptr<Device> cuda_device(int index, GpuMemory memory) { return std::make_unique<CudaDevice>(index, memory); }

std::string cuda_versions() {
  int device = 0, runtime = 0, driver = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return "CUDA " + version_text(runtime) + ", driver " + version_text(driver) + ", sm_" + std::to_string(major) +
         std::to_string(minor);
}

}  // namespace meshgauge::harness
