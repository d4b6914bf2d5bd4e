// ZeRO stage 2 as DeepSpeed does it (deepspeed/runtime/zero/stage_1_and_2.py): gradients are copied into a bucket of
// fixed size, which is flattened, all-reduced in every micro-batch and given up but for this rank's part; once a step
// the updated parts of the weights are gathered. Two buckets take turns (overlap_comm).
#pragma once

#include <array>

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Zero2 final : public Strategy<Backend, F> {
  using Base = Strategy<Backend, F>;
  using T = typename F::Stored;  // of weights and gradients alike
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_;

 public:
  Zero2(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel, std::size_t bucket)
      : Base(list, backend, allocator, channel), bucket_size_(bucket), tensors_(list.all.size()) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < list.all.size(); ++i) all.push_back(i);
    flat_ = flat_of(list, all, channel.size());
    weights_ = Base::template zeroed<T>(flat_.padded(), Category::parameters, "parameters");
  }

  [[nodiscard]] const T* matrix(std::size_t place) const override { return weights_.data() + flat_.offsets[place]; }
  [[nodiscard]] const T* stored(std::size_t place) const override { return matrix(place); }
  /// Made when first written to and gone when it is in its bucket, as autograd's are.
  [[nodiscard]] T* gradient(std::size_t place) override {
    Array<T>& d = tensors_[place];
    const bool waits =
        list_.all[place].role == Role::token_table && is_product(list_, place);  // from head to embedding
    if (!d) {
      d = Base::template zeroed<T>(list_.all[place].elements, Category::transient,
                                   waits ? "tied_table_gradient" : "autograd_gradients");
    }
    return d.data();
  }

  void before_backward(std::size_t /*unit*/) override {
    if (!part_) part_ = Base::template zeroed<T>(flat_.part(), Category::gradients, "gradients");
    if (!flattened_) {
      for (Array<T>& bucket : buckets_) bucket = Array<T>(allocator_, bucket_size_, Category::buffers, "reduce_bucket");
      const std::size_t most = std::min(bucket_size_, flat_.elements);
      flattened_ = Array<T>(allocator_, most, Category::transient, "reduce_bucket_copy");
    }
  }
  void ready(std::size_t place) override {
    const std::size_t count = list_.all[place].elements;
    if (held_.count + count > bucket_size_) reduce_bucket();
    if (count > bucket_size_) return reduce_alone(place);
    if (held_.count == 0) held_.first = flat_.offsets[place];
    backend_.copy(buckets_[turn_].data() + held_.count, gradient(place), count * sizeof(T));
    held_.count += count;
    tensors_[place] = {};
  }
  void end_micro_batch() override {
    reduce_bucket();
    take_reduced();
    flattened_ = {};
    for (Array<T>& bucket : buckets_) bucket = {};
  }
  [[nodiscard]] std::vector<Segment<F>> segments() const override {
    std::vector<Segment<F>> list;
    for (const Piece& p : pieces_of(flat_, list_, begin(), begin() + flat_.part())) {
      T* d = part_ ? part_.data() + (p.offset - begin()) : nullptr;
      list.push_back({p.place, p.first, p.count, weights_.data() + p.offset, d});
    }
    return list;
  }
  void end_step() override {
    part_ = {};
    channel_.all_gather(weights_.data() + begin(), weights_.data(), flat_.part());
    channel_.wait();
  }
  [[nodiscard]] bool cut() const override { return true; }

 private:
  /// Part of the flat array.
  struct Range {
    std::size_t first = 0, count = 0;
  };
  [[nodiscard]] std::size_t begin() const { return channel_.rank() * flat_.part(); }

  void reduce_bucket() {
    if (held_.count == 0) return;
    take_reduced();
    backend_.each(held_.count, Scale<T>{flattened_.data(), buckets_[turn_].data(), Base::share()});
    channel_.all_reduce(flattened_.data(), held_.count);
    sent_ = std::exchange(held_, {});
    turn_ = 1 - turn_;
  }
  /// A gradient larger than the bucket is reduced where it is.
  void reduce_alone(std::size_t place) {
    const std::size_t count = list_.all[place].elements;
    T* data = gradient(place);
    backend_.each(count, Scale<T>{data, data, Base::share()});
    channel_.all_reduce(data, count);
    channel_.wait();
    keep(data, {flat_.offsets[place], count});
    tensors_[place] = {};
  }
  void take_reduced() {
    if (sent_.count == 0) return;
    channel_.wait();
    keep(flattened_.data(), std::exchange(sent_, {}));
  }
  /// Adds what lies in this rank's part to its gradients.
  void keep(const T* data, Range range) {
    const std::size_t from = std::max(range.first, begin());
    const std::size_t to = std::min(range.first + range.count, begin() + flat_.part());
    if (from < to) backend_.each(to - from, Add<T>{part_.data() + (from - begin()), data + (from - range.first)});
  }

  std::size_t bucket_size_;
  Flat flat_;
  Array<T> weights_, part_;
  std::vector<Array<T>> tensors_;  ///< gradients of single parameters, by place
  std::array<Array<T>, 2> buckets_;
  Array<T> flattened_;
  std::size_t turn_ = 0;
  Range held_, sent_;
};

}  // namespace meshgauge::step
