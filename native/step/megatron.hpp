// ZeRO stage 1 as Megatron-LM's distributed optimizer does it (megatron/core/distributed/param_and_grad_buffer.py):
// parameters and gradients live in one buffer each, cut into buckets; each bucket's gradients are reduce-scattered in
// place, each rank updates its part of each bucket, and the updated parts are gathered. Without it, at stage 0, buckets
// are all-reduced and each rank updates all.
#pragma once

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Megatron final : public Strategy<Backend, F> {
  using Base = Strategy<Backend, F>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_;
  using typename Base::Compute, typename Base::Gradient, typename Base::Stored;

 public:
  Megatron(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel, BucketSizes sizes,
           bool distributed)
      : Base(list, backend, allocator, channel),
        distributed_(distributed),
        buckets_(buckets_of(list, sizes.first, sizes.others, distributed ? channel.size() : 1)),
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
    weights_ = Base::template zeroed<Stored>(size, Category::parameters, "parameters");
    gradients_ = Base::template zeroed<Gradient>(size, Category::gradients, "gradients");
  }

  [[nodiscard]] const Compute* matrix(std::size_t place) const override { return weights_.data() + offsets_[place]; }
  [[nodiscard]] const Stored* stored(std::size_t place) const override { return matrix(place); }
  [[nodiscard]] Gradient* gradient(std::size_t place) override { return gradients_.data() + offsets_[place]; }

  void begin_micro_batch(bool first, bool last) override {
    Base::begin_micro_batch(first, last);
    if (first) backend_.zero(gradients_.data(), gradients_.bytes());
    for (std::size_t b = 0; b < buckets_.size(); ++b) missing_[b] = buckets_[b].places.size();
  }
  void ready(std::size_t place) override {
    const std::size_t b = bucket_of_[place];
    if (!Base::last_ || --missing_[b] > 0) return;
    Gradient* bucket = gradients_.data() + starts_[b];
    backend_.each(buckets_[b].elements, Scale<Gradient>{bucket, bucket, Base::share()});
    if (distributed_) {
      channel_.reduce_scatter(bucket, bucket + begin(b), buckets_[b].part());
    } else {
      channel_.all_reduce(bucket, buckets_[b].elements);
    }
  }
  void end_micro_batch() override {
    if (Base::last_) channel_.wait();
  }
  [[nodiscard]] std::vector<Segment<F>> segments() const override {
    std::vector<Segment<F>> list;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      for (const Piece& p : pieces_of(buckets_[b], list_, begin(b), begin(b) + buckets_[b].part())) {
        const std::size_t at = starts_[b] + p.offset;
        list.push_back({p.place, p.first, p.count, weights_.data() + at, gradients_.data() + at});
      }
    }
    return list;
  }
  void end_step() override {
    if (!distributed_) return;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      Stored* bucket = weights_.data() + starts_[b];
      channel_.all_gather(bucket + begin(b), bucket, buckets_[b].part());
    }
    channel_.wait();
  }
  [[nodiscard]] bool cut() const override { return distributed_; }

 private:
  /// Of this rank's part of a bucket.
  [[nodiscard]] std::size_t begin(std::size_t b) const {
    return distributed_ ? channel_.rank() * buckets_[b].part() : 0;
  }

  bool distributed_;
  std::vector<Flat> buckets_;
  std::vector<std::size_t> starts_;     ///< of each bucket in the buffers
  std::vector<std::size_t> offsets_;    ///< of each place in the buffers
  std::vector<std::size_t> bucket_of_;  ///< by place
  std::vector<std::size_t> missing_;    ///< gradients that each bucket waits for
  Array<Stored> weights_;
  Array<Gradient> gradients_;
};

}  // namespace meshgauge::step
