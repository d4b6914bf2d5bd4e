// The element-wise part of a transformer step. Each kernel is a function object: by element, by row (its lanes share
// the row's columns) or by columns (`run<n>` sums over the rows of up to n columns).
#pragma once

#include <cmath>
#include <cstdint>

#include "native/step/host_device.hpp"

namespace meshgauge::step {

/// y = a x.
template <class T, class From = T>
struct Scale {
  T* y;
  const From* x;
  Wide<T> a;

  MESHGAUGE_HD void operator()(std::size_t i) const { y[i] = narrow<T>(a * widen(x[i])); }
};

/// y += x.
template <class T, class From = T>
struct Add {
  T* y;
  const From* x;

  MESHGAUGE_HD void operator()(std::size_t i) const { y[i] = narrow<T>(widen(y[i]) + widen(x[i])); }
};

template <class T>
struct Zero {
  T* y;

  MESHGAUGE_HD void operator()(std::size_t i) const { y[i] = narrow<T>(0); }
};

/// The same bias for each row.
template <class T, class Small = T>
struct AddBias {
  T* y;
  const Small* bias;
  std::size_t width;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    T* out = y + row * width;
    for (std::size_t c = lanes.first; c < width; c += lanes.step) out[c] = narrow<T>(widen(out[c]) + widen(bias[c]));
  }
};

/// Its gradient: sums over rows.
template <class T, class Gradient = T>
struct BiasGradient {
  const T* dy;
  Gradient* gradient;
  std::size_t rows, width;

  template <int n>
  MESHGAUGE_HD void run(std::size_t first, int columns) const {
    Wide<T> sums[n] = {};  // NOLINT(modernize-avoid-c-arrays): runs on a GPU, too
    for (std::size_t row = 0; row < rows; ++row) {
      const T* in = dy + row * width + first;
      for (int c = 0; c < columns; ++c) sums[c] += widen(in[c]);
    }
    for (int c = 0; c < columns; ++c) gradient[first + c] = narrow<Gradient>(widen(gradient[first + c]) + sums[c]);
  }
};

/// Rows of the token table that a rank has.
struct TableRows {
  std::size_t first, count;
};

/// Row of the token table, and of the position table where one is given. A token whose row another rank has gets zeros.
template <class T, class Small = T>
struct Embed {
  const std::int64_t* ids;
  const Small *tokens, *positions;
  T* y;
  std::size_t sequence, width;
  TableRows rows;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const std::size_t id = static_cast<std::size_t>(ids[row]) - rows.first;
    const Small* token = id < rows.count ? tokens + id * width : nullptr;
    const Small* position = positions ? positions + row % sequence * width : nullptr;
    for (std::size_t c = lanes.first; c < width; c += lanes.step) {
      const Wide<T> value = (token ? widen(token[c]) : Wide<T>{0}) + (position ? widen(position[c]) : Wide<T>{0});
      y[row * width + c] = narrow<T>(value);
    }
  }
};

/// Each column goes through the rows in order: what one token's occurrences add up to does not depend on threads.
template <class T, class Gradient = T>
struct EmbedGradient {
  const std::int64_t* ids;
  const T* dy;
  Gradient *tokens, *positions;
  std::size_t count, sequence, width;
  TableRows rows;

  template <int n>
  MESHGAUGE_HD void run(std::size_t first, int columns) const {
    for (std::size_t row = 0; row < count; ++row) {
      const T* in = dy + row * width + first;
      const std::size_t id = static_cast<std::size_t>(ids[row]) - rows.first;
      Gradient* token = id < rows.count ? tokens + id * width + first : nullptr;
      Gradient* position = positions ? positions + row % sequence * width + first : nullptr;
      for (int c = 0; c < columns; ++c) {
        if (token) token[c] = narrow<Gradient>(widen(token[c]) + widen(in[c]));
        if (position) position[c] = narrow<Gradient>(widen(position[c]) + widen(in[c]));
      }
    }
  }
};

/// LayerNorm (Ba et al. 2016, arXiv:1607.06450), or RMSNorm (Zhang and Sennrich 2019, arXiv:1910.07467). Statistics of
/// a row: 1 / standard deviation, and with LayerNorm the mean.
template <class T, class Small = T>
struct NormForward {
  const T* x;
  const Small *weight, *bias;
  T* y;
  Wide<T>* statistics;
  std::size_t width;
  bool centred;
  Wide<T> epsilon;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const T* in = x + row * width;
    const auto count = static_cast<Wide<T>>(width);
    Wide<T> mean = 0, squares = 0;
    if (centred) {
      for (std::size_t c = lanes.first; c < width; c += lanes.step) mean += widen(in[c]);
      mean = lanes.sum(mean) / count;
    }
    for (std::size_t c = lanes.first; c < width; c += lanes.step) {
      const Wide<T> d = widen(in[c]) - mean;
      squares += d * d;
    }
    const Wide<T> inverse = 1 / std::sqrt(lanes.sum(squares) / count + epsilon);
    for (std::size_t c = lanes.first; c < width; c += lanes.step) {
      const Wide<T> shift = bias ? widen(bias[c]) : Wide<T>{0};
      y[row * width + c] = narrow<T>((widen(in[c]) - mean) * inverse * widen(weight[c]) + shift);
    }
    if (lanes.first == 0) {
      statistics[centred ? 2 * row : row] = inverse;
      if (centred) statistics[2 * row + 1] = mean;
    }
  }
};

/// dx += the gradient through the norm.
template <class T, class Small = T>
struct NormBackward {
  const T* x;
  const Small* weight;
  const T* dy;
  T* dx;
  const Wide<T>* statistics;
  std::size_t width;
  bool centred;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const T *in = x + row * width, *out = dy + row * width;
    const auto count = static_cast<Wide<T>>(width);
    const Wide<T> inverse = statistics[centred ? 2 * row : row], mean = centred ? statistics[2 * row + 1] : 0;
    Wide<T> sum = 0, product = 0;
    for (std::size_t c = lanes.first; c < width; c += lanes.step) {
      const Wide<T> g = widen(out[c]) * widen(weight[c]);
      sum += g;
      product += g * (widen(in[c]) - mean) * inverse;
    }
    sum = centred ? lanes.sum(sum) / count : 0;
    product = lanes.sum(product) / count;
    for (std::size_t c = lanes.first; c < width; c += lanes.step) {
      const Wide<T> normalised = (widen(in[c]) - mean) * inverse;
      const Wide<T> g = widen(out[c]) * widen(weight[c]);
      T& to = dx[row * width + c];
      to = narrow<T>(widen(to) + inverse * (g - sum - normalised * product));
    }
  }
};

template <class T, class Gradient = T>
struct NormGradient {
  const T *x, *dy;
  const Wide<T>* statistics;
  Gradient *weight, *bias;
  std::size_t rows, width;
  bool centred;

  template <int n>
  MESHGAUGE_HD void run(std::size_t first, int columns) const {
    Wide<T> scales[n] = {}, shifts[n] = {};  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t row = 0; row < rows; ++row) {
      const T *in = x + row * width + first, *out = dy + row * width + first;
      const Wide<T> inverse = statistics[centred ? 2 * row : row], mean = centred ? statistics[2 * row + 1] : 0;
      for (int c = 0; c < columns; ++c) {
        scales[c] += widen(out[c]) * (widen(in[c]) - mean) * inverse;
        shifts[c] += widen(out[c]);
      }
    }
    for (int c = 0; c < columns; ++c) {
      weight[first + c] = narrow<Gradient>(widen(weight[first + c]) + scales[c]);
      if (bias) bias[first + c] = narrow<Gradient>(widen(bias[first + c]) + shifts[c]);
    }
  }
};

/// The tanh form of Hendrycks and Gimpel 2016, arXiv:1606.08415, as GPT-2 has it.
template <class T>
struct Gelu {
  const T* x;
  T* y;

  MESHGAUGE_HD void operator()(std::size_t i) const {
    const Wide<T> v = widen(x[i]);
    y[i] = narrow<T>(Wide<T>(0.5) * v *
                     (1 + std::tanh(Wide<T>(0.7978845608028654) * (v + Wide<T>(0.044715) * v * v * v))));
  }
};

/// In place: the gradient of the output becomes that of the input.
template <class T>
struct GeluBackward {
  const T* x;
  T* d;

  MESHGAUGE_HD void operator()(std::size_t i) const {
    const Wide<T> v = widen(x[i]), root = Wide<T>(0.7978845608028654), cubic = Wide<T>(0.044715);
    const Wide<T> t = std::tanh(root * (v + cubic * v * v * v));
    const Wide<T> slope = Wide<T>(0.5) * (1 + t) + Wide<T>(0.5) * v * (1 - t * t) * root * (1 + 3 * cubic * v * v);
    d[i] = narrow<T>(widen(d[i]) * slope);
  }
};

/// Shazeer 2020, arXiv:2002.05202: a row of x holds gate and up, y = silu(gate) up.
template <class T>
struct Swiglu {
  const T* x;
  T* y;
  std::size_t width;

  MESHGAUGE_HD void operator()(std::size_t i) const {
    const T* in = x + i / width * 2 * width + i % width;
    const Wide<T> gate = widen(in[0]), up = widen(in[width]);
    y[i] = narrow<T>(gate / (1 + std::exp(-gate)) * up);
  }
};

/// Over what it reads: x becomes the gradient of gate and up.
template <class T>
struct SwigluBackward {
  T* x;
  const T* d;
  std::size_t width;

  MESHGAUGE_HD void operator()(std::size_t i) const {
    T* in = x + i / width * 2 * width + i % width;
    const Wide<T> gate = widen(in[0]), up = widen(in[width]), dy = widen(d[i]);
    const Wide<T> s = 1 / (1 + std::exp(-gate));
    in[0] = narrow<T>(dy * up * s * (1 + gate * (1 - s)));
    in[width] = narrow<T>(dy * gate * s);
  }
};

}  // namespace meshgauge::step
