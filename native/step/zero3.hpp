// ZeRO stage 3 as torch's FSDP does it with flat parameters (torch/distributed/fsdp/_runtime_utils.py, FULL_SHARD):
// each layer is a unit that is gathered for its forward and again for its backward while its neighbour computes, two of
// them at a time; embedding, final norm and head are gathered once a micro-batch. Gradients of a unit are
// reduce-scattered while the next unit's backward runs. In mixed precision parts are kept and reduced in fp32, units
// gathered in 16 bits.
#pragma once

#include <array>

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Zero3 final : public Strategy<Backend, F> {
  using Base = Strategy<Backend, F>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_, Base::units_, Base::offset_in_unit_;
  using typename Base::Compute, typename Base::Gradient, typename Base::Reduced, typename Base::Stored;

 public:
  Zero3(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel)
      : Base(list, backend, allocator, channel),
        gathered_(list.units()),
        unsharded_(list.units()),
        gradients_(list.units()) {
    for (const Flat& unit : units_) {
      weights_.push_back(Base::template zeroed<Stored>(unit.part(), Category::parameters, "parameters"));
    }
  }

  [[nodiscard]] const Compute* matrix(std::size_t place) const override {
    return gathered_[list_.all[place].unit].data() + offset_in_unit_[place];
  }
  [[nodiscard]] const Stored* stored(std::size_t /*place*/) const override { return nullptr; }
  [[nodiscard]] Gradient* gradient(std::size_t place) override {
    return unsharded_[list_.all[place].unit].data() + offset_in_unit_[place];
  }

  void before_forward(std::size_t unit) override {
    gather(unit);
    wait();
    if (unit < root() && unit + 1 < root()) gather(unit + 1);
  }
  void after_forward(std::size_t unit) override { gathered_[unit] = {}; }
  void before_backward(std::size_t unit) override {
    if (unit < root()) {
      if (!gathered_[unit]) {
        gather(unit);
        wait();
      }
      if (unit > 0) gather(unit - 1);
    }
    unsharded_[unit] =
        Base::template zeroed<Gradient>(units_[unit].padded(), Category::transient, "unsharded_gradients");
  }
  void after_backward(std::size_t unit) override {
    wait();  // the next unit's weights, the last one's gradients
    take_reduced();
    gathered_[unit] = {};
    reduce(unit);
  }
  void end_micro_batch() override {
    wait();
    take_reduced();
  }
  [[nodiscard]] std::vector<Segment<F>> segments() const override {
    std::vector<Segment<F>> list;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const std::size_t begin = channel_.rank() * units_[unit].part();
      for (const Piece& p : pieces_of(units_[unit], list_, begin, begin + units_[unit].part())) {
        Reduced* d = gradients_[unit] ? gradients_[unit].data() + (p.offset - begin) : nullptr;
        list.push_back({p.place, p.first, p.count, weights_[unit].data() + (p.offset - begin), d});
      }
    }
    return list;
  }
  void end_step() override {
    for (Array<Reduced>& of_unit : gradients_) of_unit = {};
  }
  [[nodiscard]] bool cut() const override { return true; }

 private:
  [[nodiscard]] std::size_t root() const { return list_.root(); }

  void wait() {
    channel_.wait();
    sending_.clear();
  }
  void gather(std::size_t unit) {
    if (gathered_[unit]) return;
    const std::string_view line = unit == root() ? "gathered_root" : "gathered_units";
    gathered_[unit] = Array<Compute>(allocator_, units_[unit].padded(), Category::buffers, line);
    channel_.all_gather(as_gathered(unit), gathered_[unit].data(), units_[unit].part());
  }
  /// This rank's part in the format that is gathered; a copy lives until the gather has ended.
  [[nodiscard]] const Compute* as_gathered(std::size_t unit) {
    if constexpr (std::is_same_v<Compute, Stored>) {
      return weights_[unit].data();
    } else {
      const std::size_t part = units_[unit].part();
      sending_.emplace_back(allocator_, part, Category::transient, "cast_part");
      backend_.each(part, Scale<Compute, Stored>{sending_.back().data(), weights_[unit].data(), 1});
      return sending_.back().data();
    }
  }
  /// A unit's gradients, divided by the ranks, in the format that is reduced.
  [[nodiscard]] Array<Reduced> as_reduced(std::size_t unit) {
    const std::string_view line = unit < root() ? "reduce_scatter_input" : "unsharded_gradients";
    Array<Gradient> d = std::move(unsharded_[unit]);
    if constexpr (std::is_same_v<Gradient, Reduced>) {
      d.relabel(Category::transient, line);
      backend_.each(units_[unit].elements, Scale<Reduced>{d.data(), d.data(), Base::share()});
      return d;
    } else {
      Array<Reduced> wide = Base::template zeroed<Reduced>(units_[unit].padded(), Category::transient,
                                                           unit < root() ? line : "reduce_scatter_input_of_root");
      backend_.each(units_[unit].elements, Scale<Reduced, Gradient>{wide.data(), d.data(), Base::share()});
      return wide;
    }
  }
  void reduce(std::size_t unit) {
    reducing_ = as_reduced(unit);
    const bool adds = static_cast<bool>(gradients_[unit]);
    Array<Reduced>& to = adds ? reduced_ : gradients_[unit];
    to = Array<Reduced>(allocator_, units_[unit].part(), adds ? Category::transient : Category::gradients,
                        adds ? "reduced_part" : "gradients");
    channel_.reduce_scatter(reducing_.data(), to.data(), units_[unit].part());
    reduced_unit_ = unit;
  }
  /// What the reduction that has ended read, and the part that it wrote for a later micro-batch.
  void take_reduced() {
    if (reduced_) backend_.each(reduced_.size(), Add<Reduced>{gradients_[reduced_unit_].data(), reduced_.data()});
    reduced_ = {};
    reducing_ = {};
  }

  std::vector<Array<Stored>> weights_;      ///< this rank's part of each unit
  std::vector<Array<Compute>> sending_;     ///< parts that are being gathered
  std::vector<Array<Compute>> gathered_;    ///< units whose weights are whole now
  std::vector<Array<Gradient>> unsharded_;  ///< units whose backward runs
  Array<Reduced> reducing_, reduced_;
  std::vector<Array<Reduced>> gradients_;  ///< this rank's part of each unit
  std::size_t reduced_unit_ = 0;
};

}  // namespace meshgauge::step
