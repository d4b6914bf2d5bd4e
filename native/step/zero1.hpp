// ZeRO stage 1 as Megatron-LM's distributed optimizer does it (megatron/core/distributed/param_and_grad_buffer.py):
// parameters and gradients live in one buffer each, cut into buckets; each bucket's gradients are reduce-scattered in
// place, each rank updates its part of each bucket, and the updated parts are gathered.
#pragma once

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class T>
class Zero1 final : public Strategy<Backend, T> {
  using Base = Strategy<Backend, T>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_;

 public:
  Zero1(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel, BucketSizes sizes)
      : Base(list, backend, allocator, channel),
        buckets_(buckets_of(list, sizes.first, sizes.others, channel.size())),
        offsets_(list.all.size()),
        bucket_of_(list.all.size()),
        missing_(buckets_.size()) {
    std::size_t size = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      starts_.push_back(size);
      for (std::size_t i = 0; i < buckets_[b].places.size(); ++i) {
        offsets_[buckets_[b].places[i]] = size + buckets_[b].offsets[i];
        bucket_of_[buckets_[b].places[i]] = b;
      }
      size += buckets_[b].padded();
    }
    weights_ = Base::zeroed(size, Category::parameters, "parameters");
    gradients_ = Base::zeroed(size, Category::gradients, "gradients");
  }

  [[nodiscard]] const T* weight(std::size_t place) const override { return weights_.data() + offsets_[place]; }
  [[nodiscard]] T* gradient(std::size_t place) override { return gradients_.data() + offsets_[place]; }

  void begin_micro_batch(bool first, bool last) override {
    Base::begin_micro_batch(first, last);
    if (first) backend_.zero(gradients_.data(), gradients_.bytes());
    for (std::size_t b = 0; b < buckets_.size(); ++b) missing_[b] = buckets_[b].places.size();
  }
  void ready(std::size_t place) override {
    const std::size_t b = bucket_of_[place];
    if (!Base::last_ || --missing_[b] > 0) return;
    T* bucket = gradients_.data() + starts_[b];
    backend_.each(buckets_[b].elements, Scale<T>{bucket, bucket, Base::share()});
    channel_.reduce_scatter(bucket, bucket + channel_.rank() * buckets_[b].part(), buckets_[b].part());
  }
  void end_micro_batch() override {
    if (Base::last_) channel_.wait();
  }
  [[nodiscard]] std::vector<Segment<T>> segments() const override {
    std::vector<Segment<T>> list;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      const std::size_t begin = channel_.rank() * buckets_[b].part();
      for (const Piece& p : pieces_of(buckets_[b], list_, begin, begin + buckets_[b].part())) {
        const std::size_t at = starts_[b] + p.offset;
        list.push_back({p.place, p.first, p.count, weights_.data() + at, gradients_.data() + at});
      }
    }
    return list;
  }
  void end_step() override {
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      T* bucket = weights_.data() + starts_[b];
      channel_.all_gather(bucket + channel_.rank() * buckets_[b].part(), bucket, buckets_[b].part());
    }
    channel_.wait();
  }
  [[nodiscard]] bool cut() const override { return true; }

 private:
  std::vector<Flat> buckets_;
  std::vector<std::size_t> starts_;     ///< of each bucket in the buffers
  std::vector<std::size_t> offsets_;    ///< of each place in the buffers
  std::vector<std::size_t> bucket_of_;  ///< by place
  std::vector<std::size_t> missing_;    ///< gradients that each bucket waits for
  Array<T> weights_, gradients_;
};

}  // namespace meshgauge::step
