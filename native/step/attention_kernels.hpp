// Kernels of attention, the loss and the optimizer.
#pragma once

#include <cmath>
#include <cstdint>

#include "native/step/host_device.hpp"

namespace meshgauge::step {

/// Rotary positions (Su et al. 2021, arXiv:2104.09864) of queries and keys, halves of a head as pairs; `turn` -1 takes
/// them back, which is the gradient. One element a pair.
template <class T>
struct Rotate {
  T* qkv;
  std::size_t row_width, heads, head_dim, sequence;  ///< heads: of queries and keys together
  Wide<T> turn;

  MESHGAUGE_HD void operator()(std::size_t i) const {
    const std::size_t half = head_dim / 2, pair = i % half, head = i / half % heads, row = i / half / heads;
    const auto share = static_cast<Wide<T>>(2 * pair) / static_cast<Wide<T>>(head_dim);
    const Wide<T> angle = static_cast<Wide<T>>(row % sequence) * std::pow(Wide<T>(10000), -share);
    const Wide<T> c = std::cos(angle), s = turn * std::sin(angle);
    T* at = qkv + row * row_width + head * head_dim + pair;
    const Wide<T> x = widen(at[0]), y = widen(at[half]);
    at[0] = narrow<T>(x * c - y * s);
    at[half] = narrow<T>(x * s + y * c);
  }
};

/// Scores of queries `first_query` + r against keys 0 ... become probabilities; their log-sum-exp is kept.
template <class T>
struct CausalSoftmax {
  T* scores;
  Wide<T>* log_sums;  ///< of the first head of the batch, [query][all heads]
  std::size_t queries, keys, first_query;
  std::size_t heads;        ///< of all queries: stride of log_sums
  std::size_t head_stride;  ///< between heads of the batch
  Wide<T> scale;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const std::size_t query = first_query + row % queries;
    T* x = scores + row * keys;
    Wide<T> largest = -INFINITY, sum = 0;
    for (std::size_t k = lanes.first; k <= query; k += lanes.step) largest = std::fmax(largest, widen(x[k]));
    largest = lanes.max(largest) * scale;
    for (std::size_t k = lanes.first; k <= query; k += lanes.step) sum += std::exp(widen(x[k]) * scale - largest);
    const Wide<T> log_sum = largest + std::log(lanes.sum(sum));
    for (std::size_t k = lanes.first; k < keys; k += lanes.step) {
      x[k] = k <= query ? narrow<T>(std::exp(widen(x[k]) * scale - log_sum)) : narrow<T>(0);
    }
    if (lanes.first == 0) log_sums[query * heads + row / queries * head_stride] = log_sum;
  }
};

/// Scores become probabilities again, gradients of probabilities those of scores: FlashAttention-2, arXiv:2307.08691
/// section 3.1, with the sum of P dP in place of dO O, to which it is equal.
template <class T>
struct CausalSoftmaxBackward {
  T *scores, *d;
  const Wide<T>* log_sums;
  std::size_t queries, keys, first_query, heads, head_stride;
  Wide<T> scale;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const std::size_t query = first_query + row % queries;
    T *x = scores + row * keys, *g = d + row * keys;
    const Wide<T> log_sum = log_sums[query * heads + row / queries * head_stride];
    Wide<T> sum = 0;
    for (std::size_t k = lanes.first; k < keys; k += lanes.step) {
      const Wide<T> p = k <= query ? std::exp(widen(x[k]) * scale - log_sum) : 0;
      x[k] = narrow<T>(p);
      sum += p * (k <= query ? widen(g[k]) : Wide<T>{0});
    }
    sum = lanes.sum(sum);
    for (std::size_t k = lanes.first; k < keys; k += lanes.step) {
      g[k] = k <= query ? narrow<T>(widen(x[k]) * (widen(g[k]) - sum) * scale) : narrow<T>(0);
    }
  }
};

/// Logits become their own gradient, the loss of each row is kept.
template <class T>
struct CrossEntropy {
  T* logits;
  const std::int64_t* labels;
  Wide<T>* losses;
  std::size_t vocab;
  Wide<T> scale;  ///< of the gradient: 1 / (tokens * micro-batches)

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    T* x = logits + row * vocab;
    const auto label = static_cast<std::size_t>(labels[row]);
    const Wide<T> wanted = widen(x[label]);
    Wide<T> largest = -INFINITY, sum = 0;
    for (std::size_t c = lanes.first; c < vocab; c += lanes.step) largest = std::fmax(largest, widen(x[c]));
    largest = lanes.max(largest);
    for (std::size_t c = lanes.first; c < vocab; c += lanes.step) sum += std::exp(widen(x[c]) - largest);
    const Wide<T> log_sum = largest + std::log(lanes.sum(sum));
    for (std::size_t c = lanes.first; c < vocab; c += lanes.step) {
      const Wide<T> p = std::exp(widen(x[c]) - log_sum);
      x[c] = narrow<T>(scale * (c == label ? p - 1 : p));
    }
    if (lanes.first == 0) losses[row] = log_sum - wanted;
  }
};

/// total += scale * sum of x: one row.
template <class Number>
struct AccumulateSum {
  const Number* x;
  Number* total;
  std::size_t count;
  Number scale;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t, const Lanes& lanes) const {
    Number sum = 0;
    for (std::size_t i = lanes.first; i < count; i += lanes.step) sum += x[i];
    sum = lanes.sum(sum);
    if (lanes.first == 0) *total += scale * sum;
  }
};

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
template <class T>
struct AdamW {
  T* weight;
  const T* gradient;
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
  std::uint64_t seed, first;
  double deviation;

  MESHGAUGE_HD static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  MESHGAUGE_HD void operator()(std::size_t i) const {
    const std::uint64_t a = mix(mix(seed) + 2 * (first + i)), b = mix(mix(seed) + 2 * (first + i) + 1);
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
