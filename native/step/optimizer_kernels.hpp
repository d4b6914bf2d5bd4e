// Kernels of the optimizer and of the weights' start.
#pragma once

#include <cmath>
#include <cstdint>

#include "native/step/host_device.hpp"
#include "native/step/shape.hpp"

namespace meshgauge::step {

/// Sum of squares of the `row`-th piece of x.
template <class T>
struct SquaredNorm {
  const T* x;
  Wide<T>* sums;
  std::size_t count, piece;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const std::size_t begin = row * piece, end = begin + piece < count ? begin + piece : count;
    Wide<T> sum = 0;
    for (std::size_t i = begin + lanes.first; i < end; i += lanes.step) sum += widen(x[i]) * widen(x[i]);
    sum = lanes.sum(sum);
    if (lanes.first == 0) sums[row] = sum;
  }
};

/// Loshchilov and Hutter 2017, arXiv:1711.05101 algorithm 2.
template <class T, class Gradient = T>
struct AdamW {
  T* weight;
  const Gradient* gradient;
  T *first, *second;
  Wide<T> learning_rate, beta1, beta2, epsilon, decay;
  Wide<T> correction1, correction2;  ///< 1 - beta^step
  Wide<T> clip;                      ///< factor of the gradient

  MESHGAUGE_HD void operator()(std::size_t i) const {
    const Wide<T> g = clip * widen(gradient[i]);
    const Wide<T> m = beta1 * widen(first[i]) + (1 - beta1) * g;
    const Wide<T> v = beta2 * widen(second[i]) + (1 - beta2) * g * g;
    const Wide<T> w = widen(weight[i]);
    first[i] = narrow<T>(m);
    second[i] = narrow<T>(v);
    weight[i] = narrow<T>(w - learning_rate * (m / correction1 / (std::sqrt(v / correction2) + epsilon) + decay * w));
  }
};

/// Normal numbers that depend on seed and element alone, so that each rank can make its part: splitmix64 (Steele et al.
/// 2014, OOPSLA) and Box-Muller.
template <class T>
struct RandomNormal {
  T* y;
  std::uint64_t seed;
  std::size_t first;
  double deviation;
  Cut cut;  ///< of the parameter: which of its elements these are

  MESHGAUGE_HD static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  MESHGAUGE_HD void operator()(std::size_t i) const {
    const std::uint64_t draw = mix(seed) + 2 * cut.global(first + i), a = mix(draw), b = mix(draw + 1);
    const double u = (static_cast<double>(a >> 11U) + 1) * 0x1p-53, v = static_cast<double>(b >> 11U) * 0x1p-53;
    y[i] = narrow<T>(static_cast<Wide<T>>(deviation * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v)));
  }
};

template <class T>
struct Fill {
  T* y;
  Wide<T> value;

  MESHGAUGE_HD void operator()(std::size_t i) const { y[i] = narrow<T>(value); }
};

}  // namespace meshgauge::step
