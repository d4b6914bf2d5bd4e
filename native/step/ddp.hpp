// Data parallelism as torch's DistributedDataParallel does it (torch/csrc/distributed/c10d/reducer.cpp): gradients are
// copied, divided by the ranks, into flat buckets, which are all-reduced in the order in which they fill. Under
// autocast each linear layer keeps a 16-bit copy of its weight from its forward to its backward.
#pragma once

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Ddp final : public Strategy<Backend, F> {
  using Base = Strategy<Backend, F>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_, Base::units_, Base::offset_in_unit_;
  using typename Base::Compute, typename Base::Gradient, typename Base::Stored;
  static constexpr bool casts = !std::is_same_v<Compute, Stored>;

 public:
  Ddp(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel, BucketSizes sizes)
      : Base(list, backend, allocator, channel),
        gradients_(list.units()),
        copies_(list.all.size()),
        bucket_of_(list.all.size()) {
    for (const Flat& unit : units_) weights_.emplace_back(allocator, unit.elements, Category::parameters, "parameters");
    if (channel.size() == 1) return;
    layout_ = buckets_of(list, sizes.first, sizes.others, 1);
    for (std::size_t b = 0; b < layout_.size(); ++b) {
      buckets_.emplace_back(allocator, layout_[b].elements, Category::buffers, "ddp_buckets");
      for (std::size_t i = 0; i < layout_[b].places.size(); ++i) bucket_of_[layout_[b].places[i]] = {b, i};
    }
    missing_.resize(layout_.size());
  }

  [[nodiscard]] const Compute* matrix(std::size_t place) const override {
    if constexpr (casts) {
      return copies_[place].data();
    } else {
      return at(place);
    }
  }
  [[nodiscard]] const typename F::Small* small(std::size_t place) const override { return at(place); }
  [[nodiscard]] const Stored* stored(std::size_t place) const override { return at(place); }
  [[nodiscard]] Gradient* gradient(std::size_t place) override {
    return gradients_[unit(place)].data() + offset_in_unit_[place];
  }

  void begin_micro_batch(bool first, bool last) override {
    Base::begin_micro_batch(first, last);
    for (std::size_t b = 0; b < layout_.size(); ++b) missing_[b] = layout_[b].places.size();
  }
  /// A layer's copies live until its backward is done. The root's is the head's, whose forward and backward both come
  /// between those of the last layer.
  void before_forward(std::size_t unit) override {
    if (unit < list_.root()) cast(unit);
  }
  void after_backward(std::size_t unit) override { drop(unit); }
  void after_head() override { drop(list_.root()); }
  void before_backward(std::size_t unit) override {
    if (unit == list_.root()) cast(unit);
    if (!gradients_[unit]) {
      gradients_[unit] = Base::template zeroed<Gradient>(units_[unit].elements, Category::gradients, "gradients");
    }
  }
  void ready(std::size_t place) override {
    if (!Base::last_ || buckets_.empty()) return;
    const auto [b, i] = bucket_of_[place];
    backend_.each(list_.all[place].elements,
                  Scale<Gradient>{buckets_[b].data() + layout_[b].offsets[i], gradient(place), Base::share()});
    if (--missing_[b] == 0) channel_.all_reduce(buckets_[b].data(), buckets_[b].size());
  }
  void end_micro_batch() override {
    if (!Base::last_ || buckets_.empty()) return;
    channel_.wait();
    for (std::size_t place = 0; place < list_.all.size(); ++place) {
      const auto [b, i] = bucket_of_[place];
      backend_.copy(gradient(place), buckets_[b].data() + layout_[b].offsets[i],
                    list_.all[place].elements * sizeof(Gradient));
    }
  }
  [[nodiscard]] std::vector<Segment<F>> segments() const override {
    std::vector<Segment<F>> list;
    for (std::size_t place = 0; place < list_.all.size(); ++place) {
      const Array<Gradient>& d = gradients_[unit(place)];
      list.push_back({place, 0, list_.all[place].elements, at(place), d ? d.data() + offset_in_unit_[place] : nullptr});
    }
    return list;
  }
  void end_step() override {
    for (Array<Gradient>& of_unit : gradients_) of_unit = {};
  }
  [[nodiscard]] bool cut() const override { return false; }

 private:
  struct InBucket {
    std::size_t bucket, index;
  };
  [[nodiscard]] std::size_t unit(std::size_t place) const { return list_.all[place].unit; }
  void cast(std::size_t unit) {
    if constexpr (casts) {
      for (const std::size_t place : units_[unit].places) {
        if (!is_product(list_, place)) continue;
        const std::size_t count = list_.all[place].elements;
        copies_[place] = Array<Compute>(allocator_, count, Category::activations, "autocast_copies");
        backend_.each(count, Scale<Compute, Stored>{copies_[place].data(), at(place), 1});
      }
    }
  }
  void drop(std::size_t unit) {
    for (const std::size_t place : units_[unit].places) copies_[place] = {};
  }
  [[nodiscard]] Stored* at(std::size_t place) const { return weights_[unit(place)].data() + offset_in_unit_[place]; }

  std::vector<Array<Stored>> weights_;      ///< by unit
  std::vector<Array<Gradient>> gradients_;  ///< by unit
  std::vector<Array<Compute>> copies_;      ///< by place
  std::vector<Flat> layout_;
  std::vector<Array<Gradient>> buckets_;
  std::vector<InBucket> bucket_of_;   ///< by place
  std::vector<std::size_t> missing_;  ///< gradients that each bucket waits for
};

}  // namespace meshgauge::step
