// CUDA's errors as Failures.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "native/harness/failure.hpp"

namespace meshgauge::harness {

inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // else the next kernel launch would report it again
  throw Failure(std::string(call) + ": " + cudaGetErrorString(status) + '.');
}

}  // namespace meshgauge::harness
