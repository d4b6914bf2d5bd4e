// Causal attention in blocks of queries: no score matrix is kept, the backward makes the scores again from their
// log-sum-exp (FlashAttention-2, Dao 2023, arXiv:2307.08691 section 3.1).
#pragma once

#include <algorithm>
#include <cmath>

#include "native/step/allocator.hpp"
#include "native/step/attention_kernels.hpp"
#include "native/step/product.hpp"
#include "native/step/shape.hpp"

namespace meshgauge::step {

/// Scores of a block of queries; a GPU would hold them in its registers.
inline constexpr std::string_view workspace_line = "attention_workspace";

/// One block of queries of one sequence, for the j-th query head of each group that shares keys and values.
struct AttentionBlock {
  const Shape& shape;
  std::size_t sequence, first, queries, member;

  [[nodiscard]] std::size_t keys() const { return first + queries; }
  [[nodiscard]] std::size_t group() const { return shape.heads / shape.kv_heads; }
  [[nodiscard]] std::size_t scores() const { return shape.kv_heads * queries * keys(); }
  // Where the operands begin in a packed row of queries, keys and values, and in one of outputs.
  [[nodiscard]] std::size_t query() const {
    return (sequence * shape.sequence + first) * shape.qkv_width() + member * shape.head_dim;
  }
  [[nodiscard]] std::size_t key() const { return sequence * shape.sequence * shape.qkv_width() + shape.query_width(); }
  [[nodiscard]] std::size_t value() const { return key() + shape.kv_heads * shape.head_dim; }
  [[nodiscard]] std::size_t output() const {
    return (sequence * shape.sequence + first) * shape.query_width() + member * shape.head_dim;
  }
  [[nodiscard]] std::size_t log_sum() const { return sequence * shape.sequence * shape.heads + member; }

  /// scores = rows of a `wide` matrix times transposed rows of another.
  [[nodiscard]] Product scores_of(std::size_t wide, std::size_t stride, std::size_t other_wide) const {
    return {.m = queries,
            .n = keys(),
            .k = shape.head_dim,
            .transpose_b = true,
            .lda = wide,
            .ldb = other_wide,
            .ldc = keys(),
            .batch = shape.kv_heads,
            .stride_a = stride,
            .stride_b = shape.head_dim,
            .stride_c = queries * keys()};
  }
  /// A head's width out of scores and the rows of keys or values.
  [[nodiscard]] Product weighted(std::size_t out_wide, std::size_t out_stride) const {
    return {.m = queries,
            .n = shape.head_dim,
            .k = keys(),
            .lda = keys(),
            .ldb = shape.qkv_width(),
            .ldc = out_wide,
            .batch = shape.kv_heads,
            .stride_a = queries * keys(),
            .stride_b = shape.head_dim,
            .stride_c = out_stride};
  }
  /// Gradient of keys or values: transposed scores times rows of queries or outputs, added up.
  [[nodiscard]] Product gathered(std::size_t in_wide, std::size_t in_stride) const {
    return {.m = keys(),
            .n = shape.head_dim,
            .k = queries,
            .transpose_a = true,
            .lda = keys(),
            .ldb = in_wide,
            .ldc = shape.qkv_width(),
            .beta = 1,
            .batch = shape.kv_heads,
            .stride_a = queries * keys(),
            .stride_b = in_stride,
            .stride_c = shape.head_dim};
  }
};

template <class Visit>
void for_each_block(const Shape& shape, std::size_t queries, Visit visit) {
  for (std::size_t sequence = 0; sequence < shape.micro_batch; ++sequence) {
    for (std::size_t first = 0; first < shape.sequence; first += queries) {
      for (std::size_t member = 0; member < shape.heads / shape.kv_heads; ++member) {
        visit(AttentionBlock{shape, sequence, first, std::min(queries, shape.sequence - first), member});
      }
    }
  }
}

template <class T>
Wide<T> score_scale(const Shape& shape) {
  return 1 / std::sqrt(static_cast<Wide<T>>(shape.head_dim));
}

template <class Backend, class T>
void attend(Backend& backend, Allocator& allocator, const Shape& shape, const T* qkv, T* output, Wide<T>* log_sums) {
  const std::size_t n = std::min(Backend::query_block, shape.sequence);
  const Array<T> scores(allocator, shape.kv_heads * n * shape.sequence, Category::transient, workspace_line);
  const std::size_t w = shape.qkv_width(), o = shape.query_width();
  for_each_block(shape, n, [&](const AttentionBlock& block) {
    const std::size_t stride = block.group() * shape.head_dim;
    backend.multiply(block.scores_of(w, stride, w), qkv + block.query(), qkv + block.key(), scores.data());
    backend.rows(shape.kv_heads * block.queries, CausalSoftmax<T>{.scores = scores.data(),
                                                                  .log_sums = log_sums + block.log_sum(),
                                                                  .queries = block.queries,
                                                                  .keys = block.keys(),
                                                                  .first_query = block.first,
                                                                  .heads = shape.heads,
                                                                  .head_stride = block.group(),
                                                                  .scale = score_scale<T>(shape)});
    backend.multiply(block.weighted(o, stride), scores.data(), qkv + block.value(), output + block.output());
  });
}

/// `d_qkv` becomes the gradient of queries, keys and values.
template <class Backend, class T>
void attend_backward(Backend& backend, Allocator& allocator, const Shape& shape, const T* qkv, const Wide<T>* log_sums,
                     const T* d_output, T* d_qkv) {
  const std::size_t n = std::min(Backend::query_block, shape.sequence), most = shape.kv_heads * n * shape.sequence;
  const Array<T> scores(allocator, most, Category::transient, workspace_line);
  const Array<T> d_scores(allocator, most, Category::transient, workspace_line);
  const std::size_t w = shape.qkv_width(), o = shape.query_width();
  backend.zero(d_qkv, shape.tokens() * w * sizeof(T));
  for_each_block(shape, n, [&](const AttentionBlock& block) {
    const std::size_t stride = block.group() * shape.head_dim;
    backend.multiply(block.scores_of(w, stride, w), qkv + block.query(), qkv + block.key(), scores.data());
    backend.multiply(block.scores_of(o, stride, w), d_output + block.output(), qkv + block.value(), d_scores.data());
    backend.rows(shape.kv_heads * block.queries, CausalSoftmaxBackward<T>{.scores = scores.data(),
                                                                          .d = d_scores.data(),
                                                                          .log_sums = log_sums + block.log_sum(),
                                                                          .queries = block.queries,
                                                                          .keys = block.keys(),
                                                                          .first_query = block.first,
                                                                          .heads = shape.heads,
                                                                          .head_stride = block.group(),
                                                                          .scale = score_scale<T>(shape)});
    backend.multiply(block.gathered(o, stride), scores.data(), d_output + block.output(), d_qkv + block.value());
    backend.multiply(block.weighted(w, stride), d_scores.data(), qkv + block.key(), d_qkv + block.query());
    backend.multiply(block.gathered(w, stride), d_scores.data(), qkv + block.query(), d_qkv + block.key());
  });
}

}  // namespace meshgauge::step
