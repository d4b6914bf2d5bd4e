// What lets one function run on the host and on a GPU, and the lanes that share a row between them.
#pragma once

#include <cstddef>
#include <type_traits>

#include "native/harness/half.hpp"

#if defined(__CUDACC__)
#define MESHGAUGE_HD __host__ __device__
#else
#define MESHGAUGE_HD
#endif

namespace meshgauge::step {

using harness::Bfloat16;

/// What sums, statistics and losses are kept in: fp32, and double where the model is checked in double.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

MESHGAUGE_HD inline float widen(float x) { return x; }
MESHGAUGE_HD inline double widen(double x) { return x; }
MESHGAUGE_HD inline float widen(Bfloat16 x) { return harness::to_float(x); }

template <class T>
MESHGAUGE_HD inline T narrow(Wide<T> x) {
  if constexpr (std::is_same_v<T, Bfloat16>) {
    return harness::to_bfloat16(x);
  } else {
    return x;
  }
}

/// A row has one lane on the host; on a GPU a block's threads share it (cuda_backend.cuh).
struct HostLane {
  std::size_t first = 0, step = 1;

  template <class Number>
  [[nodiscard]] Number sum(Number x) const {
    return x;
  }
  template <class Number>
  [[nodiscard]] Number max(Number x) const {
    return x;
  }
};

}  // namespace meshgauge::step
