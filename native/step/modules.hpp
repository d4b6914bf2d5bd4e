// The parts of a decoder as one rank has them: tables, linear layers, norms and the loss, forward and backward.
#pragma once

#include <utility>

#include "native/step/kernels.hpp"
#include "native/step/loss_kernels.hpp"
#include "native/step/parameters.hpp"
#include "native/step/tensor_parallel.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Modules {
 public:
  using T = typename F::Compute;
  using Small = typename F::Small;
  using Gradient = typename F::Gradient;

 protected:
  Modules(const Shape& shape, const ParameterList& list, Backend& backend, Allocator& allocator, Channel& tensor_group)
      : shape_(shape),
        list_(list),
        backend_(backend),
        allocator_(allocator),
        tensor_(shape, backend, allocator, tensor_group) {}

  /// A linear layer: in -> out, as this rank has it.
  struct Linear {
    std::size_t unit;
    Role weight, bias;
    std::size_t in, out;
  };
  [[nodiscard]] Linear qkv(std::size_t i) const {
    return {i, Role::qkv_weight, Role::qkv_bias, shape_.hidden, shape_.qkv_width()};
  }
  [[nodiscard]] Linear output(std::size_t i) const {
    return {i, Role::output_weight, Role::output_bias, shape_.query_width(), shape_.hidden};
  }
  [[nodiscard]] Linear up(std::size_t i) const {
    return {i, Role::up_weight, Role::up_bias, shape_.hidden, shape_.up_width()};
  }
  [[nodiscard]] Linear down(std::size_t i) const {
    return {i, Role::down_weight, Role::down_bias, shape_.ffn, shape_.hidden};
  }

  [[nodiscard]] std::size_t tokens() const { return shape_.tokens(); }
  [[nodiscard]] std::size_t root() const { return list_.root(); }
  [[nodiscard]] const T* matrix(std::size_t unit, Role role) const { return p_->matrix(list_.place(unit, role)); }
  [[nodiscard]] const Small* small(std::size_t unit, Role role) const {
    const std::size_t place = list_.place(unit, role);
    return place == ParameterList::absent ? nullptr : p_->small(place);
  }
  [[nodiscard]] Gradient* g(std::size_t unit, Role role) const {
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
  /// Of this rank's own tokens.
  [[nodiscard]] Array<T> hidden(Category category, std::string_view line) {
    return Array<T>(allocator_, shape_.own_tokens() * shape_.hidden, category, line);
  }
  [[nodiscard]] Array<T> gradient_array(std::size_t width) {
    return array(width, Category::transient, "layer_backward");
  }

  void embed(const std::int64_t* ids, T* x) {
    // One rank adds the positions, the others zeros.
    const bool positions = shape_.positions > 0 && shape_.tensor.rank == 0;
    const auto rows_of_tables = [&](T* to) {
      backend_.rows(tokens(), Embed<T, Small>{ids, small(root(), Role::token_table),
                                              positions ? small(root(), Role::position_table) : nullptr, to,
                                              shape_.sequence, shape_.hidden, tensor_.vocabulary()});
    };
    if (shape_.positions > 0) {
      tensor_.sum_whole_into(x, rows_of_tables);
    } else {
      tensor_.sum_into(x, rows_of_tables);
    }
  }
  void embed_backward(const std::int64_t* ids, const T* d) {
    Array<T> room;
    const T* all = tensor_.gather_gradient(d, room);
    backend_.columns(shape_.hidden,
                     EmbedGradient<T, Gradient>{ids, all, g(root(), Role::token_table), g(root(), Role::position_table),
                                                tokens(), shape_.sequence, shape_.hidden, tensor_.vocabulary()});
    ready(root(), Role::token_table, Role::position_table);
  }

  /// y = x W^T + bias of all tokens, with this rank's rows of W.
  void apply_rows(const Linear& l, const T* own_x, T* y) {
    const T* x = tensor_.gather(own_x);
    backend_.multiply(dense(tokens(), l.out, l.in, false, true), x, matrix(l.unit, l.weight), y);
    if (const Small* b = small(l.unit, l.bias)) backend_.rows(tokens(), AddBias<T, Small>{y, b, l.out});
  }
  /// y = residual + x W^T + bias of own tokens, with this rank's columns of W.
  void apply_columns(const Linear& l, const T* x, const T* residual, T* y) {
    const std::size_t own = shape_.own_tokens();
    const auto multiply = [&](T* to, double beta) {
      backend_.multiply(dense(tokens(), l.out, l.in, false, true, beta), x, matrix(l.unit, l.weight), to);
    };
    if (tensor_.cuts()) {
      tensor_.sum_into(y, [&](T* to) { multiply(to, 0); });
      backend_.each(own * l.out, Add<T>{y, residual});
    } else {
      backend_.copy(y, residual, own * l.out * sizeof(T));
      multiply(y, 1);
    }
    if (const Small* b = small(l.unit, l.bias)) backend_.rows(own, AddBias<T, Small>{y, b, l.out});
  }
  void weight_gradient(const Linear& l, const T* x, const T* dy) {
    backend_.multiply(dense(l.out, l.in, tokens(), true, false, 1), dy, x, g(l.unit, l.weight));
  }
  void bias_gradient(const Linear& l, const T* dy, std::size_t rows) {
    if (Gradient* b = g(l.unit, l.bias)) backend_.columns(l.out, BiasGradient<T, Gradient>{dy, b, rows, l.out});
  }
  void input_gradient(const Linear& l, const T* dy, T* dx) {
    backend_.multiply(dense(tokens(), l.in, l.out, false, false), dy, matrix(l.unit, l.weight), dx);
  }
  /// Of `apply_rows`. The input is gathered again beside the product for its gradient, which is summed beside the one
  /// for the weight's (Megatron-LM core/tensor_parallel/layers.py). `between` runs when the weight's is made.
  template <class Between>
  [[nodiscard]] Array<T> rows_backward(const Linear& l, const T* own_x, const T* dy, Between between) {
    const T* x = tensor_.start_gather(own_x);
    Array<T> all = gradient_array(l.in);
    input_gradient(l, dy, all.data());
    tensor_.wait();
    Array<T> dx = tensor_.start_sum(all);
    weight_gradient(l, x, dy);
    bias_gradient(l, dy, tokens());
    between();
    tensor_.wait();
    return dx;
  }
  [[nodiscard]] Array<T> rows_backward(const Linear& l, const T* own_x, const T* dy) {
    return rows_backward(l, own_x, dy, [&] { ready(l.unit, l.weight, l.bias); });
  }
  /// Of `apply_columns`: the gradient of x.
  void columns_backward(const Linear& l, const T* x, const T* own_dy, T* dx) {
    Array<T> room;
    const T* dy = tensor_.gather_gradient(own_dy, room);
    input_gradient(l, dy, dx);
    weight_gradient(l, x, dy);
    bias_gradient(l, own_dy, shape_.own_tokens());
    ready(l.unit, l.weight, l.bias);
  }

  [[nodiscard]] std::size_t statistics_size() const { return shape_.own_tokens() * (shape_.centred ? 2 : 1); }
  void norm(const T* x, std::size_t unit, Role weight, Role bias, T* y, Wide<T>* statistics) {
    backend_.rows(shape_.own_tokens(),
                  NormForward<T, Small>{x, small(unit, weight), small(unit, bias), y, statistics, shape_.hidden,
                                        shape_.centred, static_cast<Wide<T>>(1e-5)});
  }
  /// dx += gradient through the norm; those of weight and bias are ready then.
  void norm_backward(const T* x, const T* dy, const Wide<T>* statistics, std::size_t unit, Role weight, Role bias,
                     T* dx) {
    const std::size_t rows = shape_.own_tokens();
    backend_.rows(rows,
                  NormBackward<T, Small>{x, small(unit, weight), dy, dx, statistics, shape_.hidden, shape_.centred});
    backend_.columns(shape_.hidden, NormGradient<T, Gradient>{x, dy, statistics, g(unit, weight), g(unit, bias), rows,
                                                              shape_.hidden, shape_.centred});
    ready(unit, weight, bias);
  }

  /// Logits become `scale` times their gradient, and as much of the losses is added to `loss`.
  void cross_entropy(T* logits, const std::int64_t* labels, Wide<T> scale, Wide<T>* loss) {
    const Array<Wide<T>> losses(allocator_, tokens(), Category::transient, "losses");
    if (tensor_.cuts()) {
      const std::size_t ranks = shape_.tensor.ranks;
      const Array<Wide<T>> mine(allocator_, 3 * tokens(), Category::transient, "loss_statistics");
      const Array<Wide<T>> all(allocator_, 3 * tokens() * ranks, Category::transient, "loss_statistics");
      backend_.rows(tokens(), VocabularyStatistics<T>{logits, labels, mine.data(), tensor_.vocabulary()});
      tensor_.channel().all_gather(mine.data(), all.data(), mine.size());
      tensor_.wait();
      backend_.rows(tokens(), VocabularyCrossEntropy<T>{logits, labels, all.data(), losses.data(), tensor_.vocabulary(),
                                                        ranks, tokens(), scale});
    } else {
      backend_.rows(tokens(), CrossEntropy<T>{logits, labels, losses.data(), shape_.vocab, scale});
    }
    backend_.rows(1, AccumulateSum<Wide<T>>{losses.data(), loss, tokens(), scale});
  }

  const Shape& shape_;
  const ParameterList& list_;
  Backend& backend_;
  Allocator& allocator_;
  TensorParallel<Backend, T> tensor_;
  Parameters<F>* p_ = nullptr;
};

}  // namespace meshgauge::step
