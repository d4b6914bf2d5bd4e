// ZeRO stage 3 as torch's FSDP does it with flat parameters (torch/distributed/fsdp/_runtime_utils.py, FULL_SHARD):
// each layer is a unit that is gathered for its forward and again for its backward while its neighbour computes, two of
// them at a time; embedding, final norm and head are gathered once a micro-batch. Gradients of a unit are
// reduce-scattered while the next unit's backward runs.
#pragma once

#include <array>

#include "native/step/strategy.hpp"

namespace meshgauge::step {

template <class Backend, class T>
class Zero3 final : public Strategy<Backend, T> {
  using Base = Strategy<Backend, T>;
  using Base::allocator_, Base::backend_, Base::channel_, Base::list_, Base::units_, Base::offset_in_unit_;

 public:
  Zero3(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel)
      : Base(list, backend, allocator, channel),
        gathered_(list.units()),
        unsharded_(list.units()),
        gradients_(list.units()) {
    for (const Flat& unit : units_) weights_.push_back(Base::zeroed(unit.part(), Category::parameters, "parameters"));
  }

  [[nodiscard]] const T* weight(std::size_t place) const override {
    return gathered_[list_.all[place].unit].data() + offset_in_unit_[place];
  }
  [[nodiscard]] T* gradient(std::size_t place) override {
    return unsharded_[list_.all[place].unit].data() + offset_in_unit_[place];
  }

  void before_forward(std::size_t unit) override {
    gather(unit);
    channel_.wait();
    if (unit < root() && unit + 1 < root()) gather(unit + 1);
  }
  void after_forward(std::size_t unit) override { gathered_[unit] = {}; }
  void before_backward(std::size_t unit) override {
    if (unit < root()) {
      if (!gathered_[unit]) {
        gather(unit);
        channel_.wait();
      }
      if (unit > 0) gather(unit - 1);
    }
    unsharded_[unit] = Base::zeroed(units_[unit].padded(), Category::transient, "unsharded_gradients");
  }
  void after_backward(std::size_t unit) override {
    channel_.wait();  // the next unit's weights, the last one's gradients
    take_reduced();
    gathered_[unit] = {};
    reduce(unit);
  }
  void end_micro_batch() override {
    channel_.wait();
    take_reduced();
  }
  [[nodiscard]] std::vector<Segment<T>> segments() const override {
    std::vector<Segment<T>> list;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const std::size_t begin = channel_.rank() * units_[unit].part();
      for (const Piece& p : pieces_of(units_[unit], list_, begin, begin + units_[unit].part())) {
        const T* d = gradients_[unit] ? gradients_[unit].data() + (p.offset - begin) : nullptr;
        list.push_back({p.place, p.first, p.count, weights_[unit].data() + (p.offset - begin), d});
      }
    }
    return list;
  }
  void end_step() override {
    for (Array<T>& of_unit : gradients_) of_unit = {};
  }
  [[nodiscard]] bool cut() const override { return true; }

 private:
  [[nodiscard]] std::size_t root() const { return list_.root(); }

  void gather(std::size_t unit) {
    if (gathered_[unit]) return;
    const std::string_view line = unit == root() ? "gathered_root" : "gathered_units";
    gathered_[unit] = Array<T>(allocator_, units_[unit].padded(), Category::buffers, line);
    channel_.all_gather(weights_[unit].data(), gathered_[unit].data(), units_[unit].part());
  }
  void reduce(std::size_t unit) {
    Array<T>& d = reducing_ = std::move(unsharded_[unit]);
    if (unit < root()) d.relabel(Category::transient, "reduce_scatter_input");
    backend_.each(units_[unit].elements, Scale<T>{d.data(), d.data(), Base::share()});
    const bool adds = static_cast<bool>(gradients_[unit]);
    Array<T>& to = adds ? reduced_ : gradients_[unit];
    to = Array<T>(allocator_, units_[unit].part(), adds ? Category::transient : Category::gradients,
                  adds ? "reduced_part" : "gradients");
    channel_.reduce_scatter(d.data(), to.data(), units_[unit].part());
    reduced_unit_ = unit;
  }
  /// What the reduction that has ended read, and the part that it wrote for a later micro-batch.
  void take_reduced() {
    if (reduced_) backend_.each(reduced_.size(), Add<T>{gradients_[reduced_unit_].data(), reduced_.data()});
    reduced_ = {};
    reducing_ = {};
  }

  std::vector<Array<T>> weights_;    ///< this rank's part of each unit
  std::vector<Array<T>> gathered_;   ///< units whose weights are whole now
  std::vector<Array<T>> unsharded_;  ///< units whose backward runs
  Array<T> reducing_, reduced_;
  std::vector<Array<T>> gradients_;  ///< this rank's part of each unit
  std::size_t reduced_unit_ = 0;
};

}  // namespace meshgauge::step
