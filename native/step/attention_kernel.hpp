// The step's attention as a kernel of its own: operands, launches, and whether what comes out is right.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "native/harness/runtime.hpp"
#include "native/kernels/kernel.hpp"
#include "native/step/attention.hpp"
#include "native/step/optimizer_kernels.hpp"

namespace meshgauge::step {

struct AttentionShape {
  std::size_t batch = 1, sequence = 0, heads = 0, kv_heads = 0, head_dim = 0;
};

enum class AttentionDirection { forward, backward };

class AttentionKernel : public harness::Kernel {
 public:
  /// Of the elements that are computed again in double precision, those that are off.
  [[nodiscard]] virtual std::int64_t wrong() = 0;
};

template <class Backend, class T>
class AttentionRun final : public AttentionKernel {
 public:
  AttentionRun(harness::Runtime& runtime, const AttentionShape& s, AttentionDirection direction)
      : shape_(shape_of(s)),
        direction_(direction),
        backend_(*runtime.device, runtime.cpu_threads),
        allocator_(*runtime.device),
        qkv_(allocator_, shape_.tokens() * shape_.qkv_width(), Category::activations, "attention_qkv"),
        output_(allocator_, shape_.tokens() * shape_.query_width(), Category::activations, "attention_output"),
        log_sums_(allocator_, shape_.tokens() * shape_.heads, Category::activations, "attention_statistics") {
    random(qkv_, 1);
    forward();
    if (direction != AttentionDirection::backward) return;
    d_output_ = Array<T>(allocator_, output_.size(), Category::transient, "layer_backward");
    d_qkv_ = Array<T>(allocator_, qkv_.size(), Category::transient, "layer_backward");
    random(d_output_, 2);
  }

  void launch() override {
    if (direction_ == AttentionDirection::forward) return forward();
    attend_backward(backend_, allocator_, shape_, qkv_.data(), log_sums_.data(), d_output_.data(), d_qkv_.data());
  }
  void finish() override { backend_.device().synchronize(); }

  /// Outputs of some queries, or the gradients of those queries: the first and the last of a sequence and one between.
  [[nodiscard]] std::int64_t wrong() override {
    launch();
    finish();
    const std::vector<double> qkv = on_host(qkv_);
    const std::vector<double> made = on_host(direction_ == AttentionDirection::forward ? output_ : d_qkv_);
    const std::vector<double> d = d_output_ ? on_host(d_output_) : std::vector<double>{};
    std::int64_t count = 0;
    const std::size_t row_width = direction_ == AttentionDirection::forward ? shape_.query_width() : shape_.qkv_width();
    for (const std::size_t query : {std::size_t{0}, shape_.sequence / 2, shape_.sequence - 1}) {
      for (const std::size_t head : {std::size_t{0}, shape_.heads - 1}) {
        const std::size_t sequence = shape_.micro_batch - 1, row = sequence * shape_.sequence + query;
        const std::vector<double> wanted = expected(qkv, d, sequence, query, head);
        for (std::size_t c = 0; c < shape_.head_dim; ++c) {
          const double is = made[row * row_width + head * shape_.head_dim + c];
          // 16-bit probabilities and results; fp32 sums of up to a sequence
          const double tolerance = sizeof(T) == 2 ? 2e-2 : 1e-4;
          if (!(std::abs(is - wanted[c]) <= tolerance * (1 + std::abs(wanted[c])))) ++count;
        }
      }
    }
    return count;
  }

 private:
  [[nodiscard]] static Shape shape_of(const AttentionShape& s) {
    Shape shape;
    shape.heads = s.heads;
    shape.kv_heads = s.kv_heads;
    shape.head_dim = s.head_dim;
    shape.sequence = s.sequence;
    shape.micro_batch = s.batch;
    return shape;
  }
  void forward() { attend(backend_, allocator_, shape_, qkv_.data(), output_.data(), log_sums_.data()); }
  void random(const Array<T>& to, std::uint64_t seed) {
    backend_.each(to.size(), RandomNormal<T>{to.data(), seed, 0, 1.0, {}});
  }
  [[nodiscard]] std::vector<double> on_host(const Array<T>& from) {
    std::vector<T> raw(from.size());
    backend_.device().copy_out(raw.data(), from.data(), from.bytes());
    std::vector<double> values;
    values.reserve(raw.size());
    for (const T& x : raw) values.push_back(widen(x));
    return values;
  }
  /// One head's output of one query, or the gradient of that query.
  [[nodiscard]] std::vector<double> expected(const std::vector<double>& qkv, const std::vector<double>& d,
                                             std::size_t sequence, std::size_t query, std::size_t head) const {
    const std::size_t dim = shape_.head_dim, width = shape_.qkv_width(), first = sequence * shape_.sequence;
    const std::size_t group = head / (shape_.heads / shape_.kv_heads);
    const auto at = [&](std::size_t token, std::size_t column) { return &qkv[(first + token) * width + column]; };
    const double* q = at(query, head * dim);
    const auto key = [&](std::size_t token) { return at(token, shape_.query_width() + group * dim); };
    const auto value = [&](std::size_t token) {
      return at(token, shape_.query_width() + (shape_.kv_heads + group) * dim);
    };
    const auto dot = [dim](const double* a, const double* b) {
      double sum = 0;
      for (std::size_t c = 0; c < dim; ++c) sum += a[c] * b[c];
      return sum;
    };
    const double scale = 1 / std::sqrt(static_cast<double>(dim));
    std::vector<double> p(query + 1);
    double sum = 0, largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k <= query; ++k) largest = std::max(largest, p[k] = scale * dot(q, key(k)));
    for (double& x : p) sum += x = std::exp(x - largest);
    for (double& x : p) x /= sum;
    std::vector<double> out(dim, 0);
    if (direction_ == AttentionDirection::forward) {
      for (std::size_t k = 0; k <= query; ++k) {
        for (std::size_t c = 0; c < dim; ++c) out[c] += p[k] * value(k)[c];
      }
      return out;
    }
    const double* dy = &d[(first + query) * shape_.query_width() + head * dim];
    double mean = 0;
    for (std::size_t k = 0; k <= query; ++k) mean += p[k] * dot(dy, value(k));
    for (std::size_t k = 0; k <= query; ++k) {
      const double ds = scale * p[k] * (dot(dy, value(k)) - mean);
      for (std::size_t c = 0; c < dim; ++c) out[c] += ds * key(k)[c];
    }
    return out;
  }

  Shape shape_;
  AttentionDirection direction_;
  Backend backend_;
  Allocator allocator_;
  Array<T> qkv_, output_;
  Array<Wide<T>> log_sums_;
  Array<T> d_output_, d_qkv_;
};

/// In a build with OpenBLAS; fp32 or, halved, bf16.
[[nodiscard]] std::unique_ptr<AttentionKernel> attention_on_cpu(harness::Runtime&, const AttentionShape&,
                                                                AttentionDirection, bool half);
/// In a build with CUDA.
[[nodiscard]] std::unique_ptr<AttentionKernel> attention_on_gpu(harness::Runtime&, const AttentionShape&,
                                                                AttentionDirection, bool half);

template <class Backend>
std::unique_ptr<AttentionKernel> attention_of(harness::Runtime& runtime, const AttentionShape& shape,
                                              AttentionDirection direction, bool half) {
  if (half) return std::make_unique<AttentionRun<Backend, Bfloat16>>(runtime, shape, direction);
  return std::make_unique<AttentionRun<Backend, float>>(runtime, shape, direction);
}

}  // namespace meshgauge::step
