// Data parallelism as torch's DistributedDataParallel does it (torch/csrc/distributed/c10d/reducer.cpp): gradients are
// copied, divided by the ranks, into flat buckets, which are all-reduced in the order in which they fill.
#pragma once

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class T>
class Ddp final : public Strategy<Backend, T> {
  using Base = Strategy<Backend, T>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_, Base::units_, Base::offset_in_unit_;

 public:
  Ddp(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel, BucketSizes sizes)
      : Base(list, backend, allocator, channel), gradients_(list.units()), bucket_of_(list.all.size()) {
    for (const Flat& unit : units_) weights_.emplace_back(allocator, unit.elements, Category::parameters, "parameters");
    if (channel.size() == 1) return;
    layout_ = buckets_of(list, sizes.first, sizes.others, 1);
    for (std::size_t b = 0; b < layout_.size(); ++b) {
      buckets_.emplace_back(allocator, layout_[b].elements, Category::buffers, "ddp_buckets");
      for (std::size_t i = 0; i < layout_[b].places.size(); ++i) bucket_of_[layout_[b].places[i]] = {b, i};
    }
    missing_.resize(layout_.size());
  }

  [[nodiscard]] const T* weight(std::size_t place) const override {
    return weights_[unit(place)].data() + offset_in_unit_[place];
  }
  [[nodiscard]] T* gradient(std::size_t place) override {
    return gradients_[unit(place)].data() + offset_in_unit_[place];
  }

  void begin_micro_batch(bool first, bool last) override {
    Base::begin_micro_batch(first, last);
    for (std::size_t b = 0; b < layout_.size(); ++b) missing_[b] = layout_[b].places.size();
  }
  void before_backward(std::size_t unit) override {
    if (!gradients_[unit]) gradients_[unit] = Base::zeroed(units_[unit].elements, Category::gradients, "gradients");
  }
  void ready(std::size_t place) override {
    if (!Base::last_ || buckets_.empty()) return;
    const auto [b, i] = bucket_of_[place];
    backend_.each(list_.all[place].elements,
                  Scale<T>{buckets_[b].data() + layout_[b].offsets[i], gradient(place), Base::share()});
    if (--missing_[b] == 0) channel_.all_reduce(buckets_[b].data(), buckets_[b].size());
  }
  void end_micro_batch() override {
    if (!Base::last_ || buckets_.empty()) return;
    channel_.wait();
    for (std::size_t place = 0; place < list_.all.size(); ++place) {
      const auto [b, i] = bucket_of_[place];
      backend_.copy(gradient(place), buckets_[b].data() + layout_[b].offsets[i], list_.all[place].elements * sizeof(T));
    }
  }
  [[nodiscard]] std::vector<Segment<T>> segments() const override {
    std::vector<Segment<T>> list;
    for (std::size_t place = 0; place < list_.all.size(); ++place) {
      T* data = weights_[unit(place)].data() + offset_in_unit_[place];
      const Array<T>& d = gradients_[unit(place)];
      list.push_back({place, 0, list_.all[place].elements, data, d ? d.data() + offset_in_unit_[place] : nullptr});
    }
    return list;
  }
  void end_step() override {
    for (Array<T>& of_unit : gradients_) of_unit = {};
  }
  [[nodiscard]] bool cut() const override { return false; }

 private:
  struct InBucket {
    std::size_t bucket, index;
  };
  [[nodiscard]] std::size_t unit(std::size_t place) const { return list_.all[place].unit; }

  std::vector<Array<T>> weights_, gradients_;  ///< by unit
  std::vector<Flat> layout_;
  std::vector<Array<T>> buckets_;
  std::vector<InBucket> bucket_of_;   ///< by place
  std::vector<std::size_t> missing_;  ///< gradients that each bucket waits for
};

}  // namespace meshgauge::step
