// Kernels of the loss, where ranks have parts of the vocabulary too, and sums.
#pragma once

#include <cmath>
#include <cstdint>

#include "native/step/host_device.hpp"
#include "native/step/kernels.hpp"

namespace meshgauge::step {

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

/// Of each row, over this rank's columns: largest logit, sum of exponentials relative to it, the wanted logit or -inf.
/// The ranks gather the three and know the loss (Transformer Engine pytorch/triton/cross_entropy.py, online softmax).
template <class T>
struct VocabularyStatistics {
  const T* logits;
  const std::int64_t* labels;
  Wide<T>* statistics;
  TableRows columns;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    const T* x = logits + row * columns.count;
    const std::size_t label = static_cast<std::size_t>(labels[row]) - columns.first;
    Wide<T> largest = -INFINITY, sum = 0;
    for (std::size_t c = lanes.first; c < columns.count; c += lanes.step) largest = std::fmax(largest, widen(x[c]));
    largest = lanes.max(largest);
    for (std::size_t c = lanes.first; c < columns.count; c += lanes.step) sum += std::exp(widen(x[c]) - largest);
    sum = lanes.sum(sum);
    if (lanes.first == 0) {
      Wide<T>* out = statistics + 3 * row;
      out[0] = largest;
      out[1] = sum;
      out[2] = label < columns.count ? widen(x[label]) : -INFINITY;
    }
  }
};

/// CrossEntropy of this rank's columns, with the statistics of all ranks one after the other.
template <class T>
struct VocabularyCrossEntropy {
  T* logits;
  const std::int64_t* labels;
  const Wide<T>* statistics;
  Wide<T>* losses;
  TableRows columns;
  std::size_t ranks, rows;
  Wide<T> scale;

  template <class Lanes>
  MESHGAUGE_HD void operator()(std::size_t row, const Lanes& lanes) const {
    Wide<T> largest = -INFINITY, wanted = -INFINITY, sum = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const Wide<T>* of_rank = statistics + 3 * (r * rows + row);
      largest = std::fmax(largest, of_rank[0]);
      wanted = std::fmax(wanted, of_rank[2]);
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const Wide<T>* of_rank = statistics + 3 * (r * rows + row);
      sum += of_rank[1] * std::exp(of_rank[0] - largest);
    }
    const Wide<T> log_sum = largest + std::log(sum);
    T* x = logits + row * columns.count;
    const std::size_t label = static_cast<std::size_t>(labels[row]) - columns.first;
    for (std::size_t c = lanes.first; c < columns.count; c += lanes.step) {
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

}  // namespace meshgauge::step
