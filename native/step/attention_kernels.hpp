// Kernels of attention.
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
    const Wide<T> angle = static_cast<Wide<T>>(row % sequence) * std::pow(static_cast<Wide<T>>(10000), -share);
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

}  // namespace meshgauge::step
