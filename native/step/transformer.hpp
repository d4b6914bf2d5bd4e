// Forward and backward of a decoder, by hand. What is kept for the backward is what the core counts with fused kernels:
// inputs and outputs of norms, their statistics, packed queries, keys and values, attention's output and log-sums, the
// MLP's pre-activations and product.
#pragma once

#include <utility>
#include <vector>

#include "native/step/attention.hpp"
#include "native/step/modules.hpp"

namespace meshgauge::step {

/// Of one micro-batch, in host memory: ids and what follows each, micro_batch x sequence.
struct Batch {
  const std::int64_t *ids, *labels;
};

template <class Backend, class F>
class Transformer : private Modules<Backend, F> {
  using Base = Modules<Backend, F>;
  using Base::allocator_, Base::backend_, Base::list_, Base::p_, Base::shape_, Base::tensor_;
  using Base::apply_columns, Base::apply_rows, Base::array, Base::columns_backward, Base::cross_entropy, Base::down,
      Base::embed, Base::embed_backward, Base::gradient_array, Base::hidden, Base::norm, Base::norm_backward,
      Base::output, Base::qkv, Base::root, Base::rows_backward, Base::statistics_size, Base::tokens, Base::up;
  using typename Base::Linear, typename Base::T;

 public:
  Transformer(const Shape& shape, const ParameterList& list, Backend& backend, Allocator& allocator,
              Channel& tensor_group, bool recompute)
      : Base(shape, list, backend, allocator, tensor_group), recompute_(recompute) {}

  /// Adds the gradient of `share` times the mean loss to the gradients, and as much of the loss to `loss`.
  void micro_batch(const Batch& batch, Parameters<F>& parameters, Wide<T> share, Wide<T>* loss) {
    p_ = &parameters;
    allocator_.enter(Phase::forward);
    tensor_.begin_micro_batch();
    p_->before_forward(root());
    const Array<std::int64_t> ids(allocator_, 2 * tokens(), Category::activations, "token_ids");
    std::int64_t* labels = ids.data() + tokens();
    if (backend_.computes) {
      backend_.device().copy_in(ids.data(), batch.ids, tokens() * sizeof(std::int64_t));
      backend_.device().copy_in(labels, batch.labels, tokens() * sizeof(std::int64_t));
    }
    Array<T> x = hidden(Category::activations, input_line(0));
    embed(ids.data(), x.data());
    std::vector<Saved> saved(shape_.layers);
    for (std::size_t i = 0; i < shape_.layers; ++i) {
      p_->before_forward(i);
      Array<T> y = hidden(Category::activations, input_line(i + 1));
      saved[i] = forward(i, std::move(x), recompute_ ? Category::transient : Category::activations, y.data());
      if (recompute_) saved[i] = std::move(saved[i]).checkpoint();
      x = std::move(y);
      p_->after_forward(i);
    }
    Array<T> d = head(std::move(x), labels, share, loss);
    for (std::size_t i = shape_.layers; i-- > 0;) {
      if (i + 1 == shape_.layers) allocator_.enter(Phase::backward);
      if (i == 0) allocator_.enter(Phase::reduce);
      p_->before_backward(i);
      if (recompute_) saved[i] = rebuild(i, std::move(saved[i].x));
      backward(i, saved[i], d.data());
      saved[i] = {};
      p_->after_backward(i);
    }
    embed_backward(ids.data(), d.data());
    p_->after_backward(root());
    tensor_.end_micro_batch();
  }

 private:
  struct Saved {
    Array<T> x, normed1;
    Array<Wide<T>> statistics1;
    Array<T> qkv, attention;
    Array<Wide<T>> log_sums;
    Array<T> x2, normed2;
    Array<Wide<T>> statistics2;
    Array<T> up, product;

    [[nodiscard]] Saved checkpoint() && {
      Saved only_input;
      only_input.x = std::move(x);
      return only_input;
    }
  };

  [[nodiscard]] std::string_view input_line(std::size_t layer) const {
    return layer == shape_.layers ? "final_norm" : recompute_ ? "checkpoints" : "norms";
  }
  /// Without `y` only what the backward reads is made.
  [[nodiscard]] Saved forward(std::size_t i, Array<T> x, Category category, T* y) {
    const auto statistics = [&] { return Array<Wide<T>>(allocator_, statistics_size(), category, "norm_statistics"); };
    Saved s;
    s.x = std::move(x);
    s.normed1 = hidden(category, "norms");
    s.statistics1 = statistics();
    norm(s.x.data(), i, Role::norm1_weight, Role::norm1_bias, s.normed1.data(), s.statistics1.data());
    s.qkv = array(shape_.qkv_width(), category, "attention_qkv");
    apply_rows(qkv(i), s.normed1.data(), s.qkv.data());
    if (shape_.positions == 0) rotate(s.qkv.data(), 1);
    s.attention = array(shape_.query_width(), category, "attention_output");
    s.log_sums = Array<Wide<T>>(allocator_, tokens() * shape_.heads, category, "attention_statistics");
    attend(backend_, allocator_, shape_, s.qkv.data(), s.attention.data(), s.log_sums.data());
    s.x2 = hidden(category, "norms");
    apply_columns(output(i), s.attention.data(), s.x.data(), s.x2.data());
    s.normed2 = hidden(category, "norms");
    s.statistics2 = statistics();
    norm(s.x2.data(), i, Role::norm2_weight, Role::norm2_bias, s.normed2.data(), s.statistics2.data());
    s.up = array(shape_.up_width(), category, "mlp");
    apply_rows(up(i), s.normed2.data(), s.up.data());
    s.product = array(shape_.ffn, category, "mlp");
    if (shape_.gated) {
      backend_.each(s.product.size(), Swiglu<T>{s.up.data(), s.product.data(), shape_.ffn});
    } else {
      backend_.each(s.product.size(), Gelu<T>{s.up.data(), s.product.data()});
    }
    if (y) apply_columns(down(i), s.product.data(), s.x2.data(), y);
    return s;
  }
  /// Megatron-LM's checkpoint runs the whole forward again, sums included (core/tensor_parallel/random.py); torch's,
  /// which trains without tensor parallelism, stops at the last tensor that the backward reads.
  [[nodiscard]] Saved rebuild(std::size_t i, Array<T> x) {
    Array<T> unread;
    if (tensor_.cuts()) unread = hidden(Category::transient, "rebuilt_output");
    return forward(i, std::move(x), Category::transient, unread ? unread.data() : nullptr);
  }

  void rotate(T* packed, Wide<T> turn) {
    const std::size_t heads = shape_.heads + shape_.kv_heads;
    backend_.each(tokens() * heads * shape_.head_dim / 2,
                  Rotate<T>{packed, shape_.qkv_width(), heads, shape_.head_dim, shape_.sequence, turn});
  }

  /// Final norm, logits, loss. Returns the gradient of the last layer's output.
  [[nodiscard]] Array<T> head(Array<T> x, const std::int64_t* labels, Wide<T> share, Wide<T>* loss) {
    const Linear l{root(), shape_.tied ? Role::token_table : Role::head_weight, Role::down_bias,  // a root has none
                   shape_.hidden, shape_.vocab};
    const Array<T> normed = hidden(Category::activations, "final_norm");
    const Array<Wide<T>> statistics(allocator_, statistics_size(), Category::activations, "final_norm_statistics");
    norm(x.data(), root(), Role::final_norm_weight, Role::final_norm_bias, normed.data(), statistics.data());

    allocator_.enter(Phase::loss);
    p_->before_backward(root());
    Array<T> logits = array(shape_.vocab, Category::logits, "logits");
    apply_rows(l, normed.data(), logits.data());
    cross_entropy(logits.data(), labels, share / static_cast<Wide<T>>(tokens()), loss);
    const Array<T> d_normed = rows_backward(l, normed.data(), logits.data(), [&] {
      logits = {};
      if (!shape_.tied) p_->ready(list_.place(root(), Role::head_weight));
    });
    Array<T> d(allocator_, shape_.own_tokens() * shape_.hidden, Category::transient, "layer_backward");
    backend_.zero(d.data(), d.bytes());
    norm_backward(x.data(), d_normed.data(), statistics.data(), root(), Role::final_norm_weight, Role::final_norm_bias,
                  d.data());
    p_->after_head();
    return d;
  }

  /// `d`: the gradient of the layer's output becomes that of its input. Saved tensors go with their last use.
  void backward(std::size_t i, Saved& s, T* d) {
    {
      Array<T> d_product = gradient_array(shape_.ffn);
      columns_backward(down(i), s.product.data(), d, d_product.data());
      s.product = {};
      T* d_up = d_product.data();
      if (shape_.gated) {
        backend_.each(d_product.size(), SwigluBackward<T>{s.up.data(), d_product.data(), shape_.ffn});
        d_up = s.up.data();
      } else {
        backend_.each(d_product.size(), GeluBackward<T>{s.up.data(), d_product.data()});
        s.up = {};
      }
      const Array<T> d_normed = rows_backward(up(i), s.normed2.data(), d_up);
      norm_backward(s.x2.data(), d_normed.data(), s.statistics2.data(), i, Role::norm2_weight, Role::norm2_bias, d);
      s.up = {};
    }
    s.normed2 = {};
    s.x2 = {};
    s.statistics2 = {};
    const Array<T> d_qkv = gradient_array(shape_.qkv_width());
    {
      const Array<T> d_attention = gradient_array(shape_.query_width());
      columns_backward(output(i), s.attention.data(), d, d_attention.data());
      attend_backward(backend_, allocator_, shape_, s.qkv.data(), s.log_sums.data(), d_attention.data(), d_qkv.data());
    }
    if (shape_.positions == 0) rotate(d_qkv.data(), -1);
    const Array<T> d_normed = rows_backward(qkv(i), s.normed1.data(), d_qkv.data());
    norm_backward(s.x.data(), d_normed.data(), s.statistics1.data(), i, Role::norm1_weight, Role::norm1_bias, d);
  }

  bool recompute_;
};

}  // namespace meshgauge::step
