#include <cuda_runtime.h>

#include <utility>

#include "native/harness/cuda_check.hpp"
#include "native/kernels/stream.hpp"

namespace meshgauge::harness {
namespace {

/// Page-locked memory of the host.
class HostBuffer {
 public:
  explicit HostBuffer(std::size_t bytes) { check(cudaMallocHost(&data_, bytes), "cudaMallocHost"); }
  ~HostBuffer() { cudaFreeHost(data_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

class Queue {
 public:
  Queue() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Queue() { cudaStreamDestroy(stream_); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }
  void wait() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Memory that the copies of one size share.
struct Memory {
  Memory(Device& device, std::size_t size) : bytes(size), a(device, size), b(device, size), x(size), y(size) {
    device.zero(a.data(), size);
    device.zero(b.data(), size);
  }
  std::size_t bytes;
  Buffer a, b;
  HostBuffer x, y;
};

class Inside final : public Kernel {
 public:
  explicit Inside(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
  void launch() override { queue_.copy(memory_->b.data(), memory_->a.data(), memory_->bytes); }
  void finish() override { queue_.wait(); }

 private:
  std::shared_ptr<Memory> memory_;
  Queue queue_;
};

class WithHost final : public Kernel {
 public:
  WithHost(std::shared_ptr<Memory> memory, bool in, bool out) : memory_(std::move(memory)), in_(in), out_(out) {}
  void launch() override {
    if (in_) in_queue_.copy(memory_->a.data(), memory_->x.data(), memory_->bytes);
    if (out_) out_queue_.copy(memory_->y.data(), memory_->b.data(), memory_->bytes);
  }
  void finish() override {
    in_queue_.wait();
    out_queue_.wait();
  }

 private:
  std::shared_ptr<Memory> memory_;
  bool in_, out_;
  Queue in_queue_, out_queue_;
};

/// To another GPU of this process, straight where the two can, else through the host, as NCCL would have to.
class ToPeer final : public Kernel {
 public:
  ToPeer(std::shared_ptr<Memory> memory, int index, int peer) : memory_(std::move(memory)), index_(index), peer_(peer) {
    int direct = 0;
    check(cudaDeviceCanAccessPeer(&direct, index, peer), "cudaDeviceCanAccessPeer");
    if (direct != 0) {
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
      if (enabled != cudaErrorPeerAccessAlreadyEnabled) check(enabled, "cudaDeviceEnablePeerAccess");
      static_cast<void>(cudaGetLastError());
    }
    check(cudaSetDevice(peer), "cudaSetDevice");
    const cudaError_t made = cudaMalloc(&there_, memory_->bytes);
    check(cudaSetDevice(index), "cudaSetDevice");
    check(made, "cudaMalloc on the other GPU");
  }
  ~ToPeer() override {
    cudaSetDevice(peer_);
    cudaFree(there_);
    cudaSetDevice(index_);
  }
  void launch() override { queue_.copy(there_, memory_->a.data(), memory_->bytes); }
  void finish() override { queue_.wait(); }

 private:
  std::shared_ptr<Memory> memory_;
  int index_, peer_;
  void* there_ = nullptr;
  Queue queue_;
};

}  // namespace

std::vector<Stream> cuda_streams(Device& device, std::size_t bytes) {
  const auto memory = std::make_shared<Memory>(device, bytes);
  std::vector<Stream> streams;
  streams.push_back({"device", 0, 2, Stream::Path::memory, std::make_unique<Inside>(memory)});
  streams.push_back({"host to device", 0, 1, Stream::Path::host, std::make_unique<WithHost>(memory, true, false)});
  streams.push_back({"device to host", 0, 1, Stream::Path::host, std::make_unique<WithHost>(memory, false, true)});
  streams.push_back({"both ways", 0, 2, Stream::Path::host_both_ways, std::make_unique<WithHost>(memory, true, true)});
  int count = 0, index = 0;
  check(cudaGetDevice(&index), "cudaGetDevice");
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count > 1) {
    streams.push_back(
        {"to the next GPU", 0, 1, Stream::Path::peer, std::make_unique<ToPeer>(memory, index, (index + 1) % count)});
  }
  return streams;
}

}  // namespace meshgauge::harness
