// What tensor parallelism exchanges around the matrices that it cuts (Shoeybi et al. 2019, arXiv:1909.08053 section 3),
// and with sequence parallelism around what lies between them (Korthikanti et al. 2022, arXiv:2205.05198
// section 4.2.2).
#pragma once

#include "native/step/allocator.hpp"
#include "native/step/channel.hpp"
#include "native/step/kernels.hpp"
#include "native/step/shape.hpp"

namespace meshgauge::step {

/// "Own" is a hidden state of the rank's own tokens, "all" one of all tokens; without sequence parallelism they are the
/// same array, and on one rank nothing is sent.
template <class Backend, class T>
class TensorParallel {
 public:
  TensorParallel(const Shape& shape, Backend& backend, Allocator& allocator, Channel& channel)
      : shape_(shape), backend_(backend), allocator_(allocator), channel_(channel) {}

  [[nodiscard]] bool cuts() const { return shape_.tensor.ranks > 1; }
  [[nodiscard]] TableRows vocabulary() const { return {shape_.tensor.rank * shape_.vocab, shape_.vocab}; }
  [[nodiscard]] Channel& channel() const { return channel_; }

  /// Megatron-LM gathers inputs of products into one buffer (core/tensor_parallel/layers.py).
  void begin_micro_batch() {
    if (cuts_tokens()) buffer_ = Array<T>(allocator_, all_size(), Category::buffers, "sequence_gather");
  }
  void end_micro_batch() { buffer_ = {}; }

  /// All tokens of a product's input, there after `wait`, until the next call.
  [[nodiscard]] const T* start_gather(const T* own) {
    if (!cuts_tokens()) return own;
    channel_.all_gather(own, buffer_.data(), own_size());
    return buffer_.data();
  }
  void wait() {
    if (cuts()) channel_.wait();
  }
  [[nodiscard]] const T* gather(const T* own) {
    const T* all = start_gather(own);
    if (cuts_tokens()) channel_.wait();
    return all;
  }
  /// The same of a gradient, in an array of its own.
  [[nodiscard]] const T* gather_gradient(const T* own, Array<T>& room) {
    if (!cuts_tokens()) return own;
    room = Array<T>(allocator_, all_size(), Category::transient, "layer_backward");
    channel_.all_gather(own, room.data(), own_size());
    channel_.wait();
    return room.data();
  }
  /// Sums what ranks have of all tokens. The result, of own tokens, is there after `wait`; `all` has to live until
  /// then.
  [[nodiscard]] Array<T> start_sum(Array<T>& all) {
    if (!cuts_tokens()) {
      if (cuts()) channel_.all_reduce(all.data(), all.size());
      return std::move(all);
    }
    Array<T> own(allocator_, own_size(), Category::transient, "layer_backward");
    channel_.reduce_scatter(all.data(), own.data(), own_size());
    return own;
  }
  /// The same of what `make` puts into the array it is given, into `own`.
  template <class Make>
  void sum_into(T* own, Make make) {
    if (!cuts_tokens()) {
      make(own);
      if (!cuts()) return;
      channel_.all_reduce(own, all_size());
      channel_.wait();
    } else {
      const Array<T> all(allocator_, all_size(), Category::transient, "partial_sums");
      make(all.data());
      channel_.reduce_scatter(all.data(), own, own_size());
      channel_.wait();
    }
  }
  /// As `sum_into`, by way of a sum that each rank has whole: learned positions are added before tokens are cut
  /// (Megatron-LM core/models/common/embeddings/language_model_embedding.py, reduce_scatter_embeddings).
  template <class Make>
  void sum_whole_into(T* own, Make make) {
    if (!cuts_tokens()) return sum_into(own, make);
    const Array<T> all(allocator_, all_size(), Category::transient, "partial_sums");
    make(all.data());
    channel_.all_reduce(all.data(), all.size());
    channel_.wait();
    backend_.copy(own, all.data() + shape_.tensor.rank * own_size(), own_size() * sizeof(T));
  }

 private:
  [[nodiscard]] bool cuts_tokens() const { return cuts() && shape_.tensor.cuts_sequence; }
  [[nodiscard]] std::size_t all_size() const { return shape_.tokens() * shape_.hidden; }
  [[nodiscard]] std::size_t own_size() const { return shape_.own_tokens() * shape_.hidden; }

  const Shape& shape_;
  Backend& backend_;
  Allocator& allocator_;
  Channel& channel_;
  Array<T> buffer_;
};

}  // namespace meshgauge::step
