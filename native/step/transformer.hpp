// Forward and backward of a decoder, by hand. What is kept for the backward is what the core counts with fused kernels:
// inputs and outputs of norms, their statistics, packed queries, keys and values, attention's output and log-sums, the
// MLP's pre-activations and product.
#pragma once

#include <utility>
#include <vector>

#include "native/step/attention.hpp"
#include "native/step/kernels.hpp"
#include "native/step/parameters.hpp"

namespace meshgauge::step {

/// Of one micro-batch, in host memory: ids and what follows each, micro_batch x sequence.
struct Batch {
  const std::int64_t *ids, *labels;
};

template <class Backend, class T>
class Transformer {
 public:
  Transformer(const Shape& shape, const ParameterList& list, Backend& backend, Allocator& allocator, bool recompute)
      : shape_(shape), list_(list), backend_(backend), allocator_(allocator), recompute_(recompute) {}

  /// Adds the gradient of `share` times the mean loss to the gradients, and as much of the loss to `loss`.
  void micro_batch(const Batch& batch, Parameters<T>& parameters, Wide<T> share, Wide<T>* loss) {
    p_ = &parameters;
    allocator_.enter(Phase::forward);
    p_->before_forward(root());
    const Array<std::int64_t> ids(allocator_, 2 * tokens(), Category::activations, "token_ids");
    std::int64_t* labels = ids.data() + tokens();
    if (backend_.computes) {
      backend_.device().copy_in(ids.data(), batch.ids, tokens() * sizeof(std::int64_t));
      backend_.device().copy_in(labels, batch.labels, tokens() * sizeof(std::int64_t));
    }
    Array<T> x = hidden(Category::activations, input_line(0));
    backend_.rows(tokens(), Embed<T>{ids.data(), w(root(), Role::token_table), w(root(), Role::position_table),
                                     x.data(), shape_.sequence, shape_.hidden});
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
      if (recompute_) saved[i] = forward(i, std::move(saved[i].x), Category::transient, nullptr);
      backward(i, saved[i], d.data());
      saved[i] = {};
      p_->after_backward(i);
    }
    backend_.columns(shape_.hidden,
                     EmbedGradient<T>{ids.data(), d.data(), g(root(), Role::token_table),
                                      g(root(), Role::position_table), tokens(), shape_.sequence, shape_.hidden});
    ready(root(), Role::token_table, Role::position_table);
    p_->after_backward(root());
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

  [[nodiscard]] std::size_t tokens() const { return shape_.tokens(); }
  [[nodiscard]] std::size_t root() const { return list_.root(); }
  [[nodiscard]] std::string_view input_line(std::size_t layer) const {
    return layer == shape_.layers ? "final_norm" : recompute_ ? "checkpoints" : "norms";
  }
  [[nodiscard]] const T* w(std::size_t unit, Role role) const {
    const std::size_t place = list_.place(unit, role);
    return place == ParameterList::absent ? nullptr : p_->weight(place);
  }
  [[nodiscard]] T* g(std::size_t unit, Role role) const {
    const std::size_t place = list_.place(unit, role);
    return place == ParameterList::absent ? nullptr : p_->gradient(place);
  }
  void ready(std::size_t unit, Role weight, Role bias) {
    for (const Role role : {weight, bias}) {
      const std::size_t place = list_.place(unit, role);
      if (place != ParameterList::absent) p_->ready(place);
    }
  }
  [[nodiscard]] Array<T> array(std::size_t width, Category category, std::string_view line) {
    return Array<T>(allocator_, tokens() * width, category, line);
  }
  [[nodiscard]] Array<T> hidden(Category category, std::string_view line) {
    return array(shape_.hidden, category, line);
  }
  [[nodiscard]] Array<T> gradient_array(std::size_t width) {
    return array(width, Category::transient, "layer_backward");
  }

  /// y = x W^T + bias, added to what is there where `beta` is 1.
  void linear(const T* x, std::size_t unit, Role weight, Role bias, std::size_t in, std::size_t out, T* y,
              double beta = 0) {
    backend_.multiply(dense(tokens(), out, in, false, true, beta), x, w(unit, weight), y);
    if (const T* b = w(unit, bias)) backend_.rows(tokens(), AddBias<T>{y, b, out});
  }
  /// Gradients of weight and bias; then they are ready.
  void linear_gradients(const T* x, const T* dy, std::size_t unit, Role weight, Role bias, std::size_t in,
                        std::size_t out) {
    backend_.multiply(dense(out, in, tokens(), true, false, 1), dy, x, g(unit, weight));
    if (T* b = g(unit, bias)) backend_.columns(out, BiasGradient<T>{dy, b, tokens(), out});
    ready(unit, weight, bias);
  }
  void input_gradient(const T* dy, const T* weight, std::size_t in, std::size_t out, T* dx) {
    backend_.multiply(dense(tokens(), in, out, false, false), dy, weight, dx);
  }

  [[nodiscard]] std::size_t statistics_size() const { return tokens() * (shape_.centred ? 2 : 1); }
  void norm(const T* x, std::size_t unit, Role weight, Role bias, T* y, Wide<T>* statistics) {
    backend_.rows(tokens(), NormForward<T>{x, w(unit, weight), w(unit, bias), y, statistics, shape_.hidden,
                                           shape_.centred, Wide<T>(1e-5)});
  }
  /// dx += gradient through the norm; those of weight and bias are ready then.
  void norm_backward(const T* x, const T* dy, const Wide<T>* statistics, std::size_t unit, Role weight, Role bias,
                     T* dx) {
    backend_.rows(tokens(), NormBackward<T>{x, w(unit, weight), dy, dx, statistics, shape_.hidden, shape_.centred});
    backend_.columns(shape_.hidden, NormGradient<T>{x, dy, statistics, g(unit, weight), g(unit, bias), tokens(),
                                                    shape_.hidden, shape_.centred});
    ready(unit, weight, bias);
  }

  /// Without `y` only what the backward reads is made.
  [[nodiscard]] Saved forward(std::size_t i, Array<T> x, Category category, T* y) {
    const std::size_t h = shape_.hidden;
    const auto statistics = [&] { return Array<Wide<T>>(allocator_, statistics_size(), category, "norm_statistics"); };
    Saved s;
    s.x = std::move(x);
    s.normed1 = hidden(category, "norms");
    s.statistics1 = statistics();
    norm(s.x.data(), i, Role::norm1_weight, Role::norm1_bias, s.normed1.data(), s.statistics1.data());
    s.qkv = array(shape_.qkv_width(), category, "attention_qkv");
    linear(s.normed1.data(), i, Role::qkv_weight, Role::qkv_bias, h, shape_.qkv_width(), s.qkv.data());
    if (shape_.positions == 0) rotate(s.qkv.data(), 1);
    s.attention = array(shape_.query_width(), category, "attention_output");
    s.log_sums = Array<Wide<T>>(allocator_, tokens() * shape_.heads, category, "attention_statistics");
    attend(backend_, allocator_, shape_, s.qkv.data(), s.attention.data(), s.log_sums.data());
    s.x2 = hidden(category, "norms");
    backend_.copy(s.x2.data(), s.x.data(), s.x.bytes());
    linear(s.attention.data(), i, Role::output_weight, Role::output_bias, shape_.query_width(), h, s.x2.data(), 1);
    s.normed2 = hidden(category, "norms");
    s.statistics2 = statistics();
    norm(s.x2.data(), i, Role::norm2_weight, Role::norm2_bias, s.normed2.data(), s.statistics2.data());
    s.up = array(shape_.up_width(), category, "mlp");
    linear(s.normed2.data(), i, Role::up_weight, Role::up_bias, h, shape_.up_width(), s.up.data());
    s.product = array(shape_.ffn, category, "mlp");
    if (shape_.gated) {
      backend_.each(s.product.size(), Swiglu<T>{s.up.data(), s.product.data(), shape_.ffn});
    } else {
      backend_.each(s.product.size(), Gelu<T>{s.up.data(), s.product.data()});
    }
    if (y) {
      backend_.copy(y, s.x2.data(), s.x2.bytes());
      linear(s.product.data(), i, Role::down_weight, Role::down_bias, shape_.ffn, h, y, 1);
    }
    return s;
  }

  void rotate(T* qkv, Wide<T> turn) {
    const std::size_t heads = shape_.heads + shape_.kv_heads;
    backend_.each(tokens() * heads * shape_.head_dim / 2,
                  Rotate<T>{qkv, shape_.qkv_width(), heads, shape_.head_dim, shape_.sequence, turn});
  }

  /// Final norm, logits, loss. Returns the gradient of the last layer's output.
  [[nodiscard]] Array<T> head(Array<T> x, const std::int64_t* labels, Wide<T> share, Wide<T>* loss) {
    const std::size_t h = shape_.hidden, vocab = shape_.vocab;
    const Role table = shape_.tied ? Role::token_table : Role::head_weight;
    const Array<T> normed = hidden(Category::activations, "final_norm");
    const Array<Wide<T>> statistics(allocator_, statistics_size(), Category::activations, "final_norm_statistics");
    norm(x.data(), root(), Role::final_norm_weight, Role::final_norm_bias, normed.data(), statistics.data());

    allocator_.enter(Phase::loss);
    p_->before_backward(root());
    Array<T> logits = array(vocab, Category::logits, "logits");
    const Array<Wide<T>> losses(allocator_, tokens(), Category::transient, "losses");
    backend_.multiply(dense(tokens(), vocab, h, false, true), normed.data(), w(root(), table), logits.data());
    const Wide<T> scale = share / static_cast<Wide<T>>(tokens());
    backend_.rows(tokens(), CrossEntropy<T>{logits.data(), labels, losses.data(), vocab, scale});
    backend_.rows(1, AccumulateSum<Wide<T>>{losses.data(), loss, tokens(), scale});
    const Array<T> d_normed = gradient_array(h);
    input_gradient(logits.data(), w(root(), table), h, vocab, d_normed.data());
    backend_.multiply(dense(vocab, h, tokens(), true, false, 1), logits.data(), normed.data(), g(root(), table));
    logits = {};
    if (!shape_.tied) p_->ready(list_.place(root(), Role::head_weight));
    Array<T> d = gradient_array(h);
    backend_.zero(d.data(), d.bytes());
    norm_backward(x.data(), d_normed.data(), statistics.data(), root(), Role::final_norm_weight, Role::final_norm_bias,
                  d.data());
    return d;
  }

  /// `d`: the gradient of the layer's output becomes that of its input. Saved tensors go with their last use.
  void backward(std::size_t i, Saved& s, T* d) {
    const std::size_t h = shape_.hidden, f = shape_.ffn;
    {
      Array<T> d_product = gradient_array(f);
      input_gradient(d, w(i, Role::down_weight), f, h, d_product.data());
      linear_gradients(s.product.data(), d, i, Role::down_weight, Role::down_bias, f, h);
      s.product = {};
      T* d_up = d_product.data();
      if (shape_.gated) {
        backend_.each(d_product.size(), SwigluBackward<T>{s.up.data(), d_product.data(), f});
        d_up = s.up.data();
      } else {
        backend_.each(d_product.size(), GeluBackward<T>{s.up.data(), d_product.data()});
        s.up = {};
      }
      const Array<T> d_normed = gradient_array(h);
      input_gradient(d_up, w(i, Role::up_weight), h, shape_.up_width(), d_normed.data());
      linear_gradients(s.normed2.data(), d_up, i, Role::up_weight, Role::up_bias, h, shape_.up_width());
      norm_backward(s.x2.data(), d_normed.data(), s.statistics2.data(), i, Role::norm2_weight, Role::norm2_bias, d);
      s.up = {};
    }
    s.normed2 = {};
    s.x2 = {};
    s.statistics2 = {};
    const Array<T> d_qkv = gradient_array(shape_.qkv_width());
    {
      const Array<T> d_attention = gradient_array(shape_.query_width());
      input_gradient(d, w(i, Role::output_weight), shape_.query_width(), h, d_attention.data());
      linear_gradients(s.attention.data(), d, i, Role::output_weight, Role::output_bias, shape_.query_width(), h);
      attend_backward(backend_, allocator_, shape_, s.qkv.data(), s.log_sums.data(), d_attention.data(), d_qkv.data());
    }
    if (shape_.positions == 0) rotate(d_qkv.data(), -1);
    const Array<T> d_normed = gradient_array(h);
    input_gradient(d_qkv.data(), w(i, Role::qkv_weight), h, shape_.qkv_width(), d_normed.data());
    linear_gradients(s.normed1.data(), d_qkv.data(), i, Role::qkv_weight, Role::qkv_bias, h, shape_.qkv_width());
    norm_backward(s.x.data(), d_normed.data(), s.statistics1.data(), i, Role::norm1_weight, Role::norm1_bias, d);
  }

  const Shape& shape_;
  const ParameterList& list_;
  Backend& backend_;
  Allocator& allocator_;
  bool recompute_;
  Parameters<T>* p_ = nullptr;
};

}  // namespace meshgauge::step
