// Moving bytes: memory of CPUs with a number of threads, of GPUs, between both and between GPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "native/kernels/kernel.hpp"

namespace meshgauge::harness {

/// One kind of transfer that a rank can measure.
struct Stream {
  std::string name;    ///< "copy", "triad", "device", "host to device", ...
  int threads = 0;     ///< of a CPU; 0: a GPU's
  double counted = 1;  ///< bytes over the buffer's size: 2 where it is read and another one written
  enum class Path { memory, host, host_both_ways, peer } path = Path::memory;
  std::unique_ptr<Kernel> kernel;
};

/// c = a, and a = b + s c as McCalpin's STREAM: read and written bytes count. `threads` 1, 2, 4 ... and all.
[[nodiscard]] std::vector<Stream> cpu_streams(Device&, std::size_t bytes, int threads);

/// Inside the GPU, from and to page-locked host memory, both at once, and to the next GPU of the process' node.
[[nodiscard]] std::vector<Stream> cuda_streams(Device&, std::size_t bytes);

}  // namespace meshgauge::harness
