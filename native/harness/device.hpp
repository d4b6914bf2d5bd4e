// Where buffers live: host memory, or a GPU's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace meshgauge::harness {

/// Functions return when they are done. Errors throw Failure.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;  ///< "NVIDIA H200", or the CPU's
  [[nodiscard]] virtual bool is_gpu() const = 0;
  [[nodiscard]] virtual std::string address() const { return {}; }  ///< on the PCI bus: "0000:07:00"
  [[nodiscard]] virtual void* queue() const { return nullptr; }     ///< the cudaStream_t for kernels
  [[nodiscard]] virtual std::size_t free_bytes() const = 0;
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;  ///< aligned to 256 bytes
  virtual void release(void*) = 0;
  virtual void copy_in(void* to, const void* from_host, std::size_t bytes) = 0;
  virtual void copy_out(void* to_host, const void* from, std::size_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void zero(void*, std::size_t bytes) = 0;
  virtual void synchronize() = 0;  ///< with the queue

 protected:
  Device() = default;
};

[[nodiscard]] std::unique_ptr<Device> cpu_device();

/// In a build with CUDA; index as CUDA counts what CUDA_VISIBLE_DEVICES leaves. Registered memory comes from NCCL's
/// allocator, which symmetric windows need.
enum class GpuMemory { plain, registered };
[[nodiscard]] std::unique_ptr<Device> cuda_device(int index, GpuMemory = GpuMemory::plain);
[[nodiscard]] int cuda_device_count();
/// "CUDA 13.0, driver 13.0, sm_90" of the current device.
[[nodiscard]] std::string cuda_versions();

/// Memory of a device that is given back.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t bytes) : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (device_) device_->release(data_);
  }

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace meshgauge::harness
