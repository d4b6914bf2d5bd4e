// What data parallelism does with parameters, gradients and optimizer states: the interface of ddp and ZeRO 1 to 3.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/scenario/names.hpp"
#include "native/step/allocator.hpp"
#include "native/step/channel.hpp"
#include "native/step/flat.hpp"
#include "native/step/kernels.hpp"
#include "native/step/parameters.hpp"

namespace meshgauge {

enum class StrategyKind { ddp, zero1, zero2, zero3 };
MESHGAUGE_NAMES(StrategyKind, "ddp", "zero1", "zero2", "zero3");

}  // namespace meshgauge

namespace meshgauge::step {

/// When a gradient bucket is full, elements.
struct BucketSizes {
  std::size_t first, others;
};

/// Elements of one parameter that this rank updates.
template <class F>
struct Segment {
  std::size_t place, first, count;
  typename F::Stored* weight;
  typename F::Reduced* gradient;
};

/// A step is: `begin_micro_batch`, the model's hooks and `end_micro_batch`, m times; then `segments` have their
/// gradients, averaged over ranks; after the update `end_step`.
template <class Backend, class F>
class Strategy : public Parameters<F> {
 public:
  using Compute = typename F::Compute;
  using Gradient = typename F::Gradient;
  using Stored = typename F::Stored;
  using Reduced = typename F::Reduced;

  Strategy(const ParameterList& list, Backend& backend, Allocator& allocator, Channel& channel)
      : list_(list), backend_(backend), allocator_(allocator), channel_(channel) {
    offset_in_unit_.resize(list.all.size());
    for (std::size_t unit = 0; unit < list.units(); ++unit) {
      units_.push_back(flat_of(list, list.of_unit(unit), channel.size()));
      for (std::size_t i = 0; i < units_[unit].places.size(); ++i) {
        offset_in_unit_[units_[unit].places[i]] = units_[unit].offsets[i];
      }
    }
  }

  virtual void begin_micro_batch(bool first, bool last) {
    first_ = first;
    last_ = last;
  }
  virtual void end_micro_batch() = 0;
  /// The same ones in each step.
  [[nodiscard]] virtual std::vector<Segment<F>> segments() const = 0;
  virtual void end_step() = 0;
  /// A parameter between steps; null where no rank has it whole.
  [[nodiscard]] virtual const Stored* stored(std::size_t place) const = 0;
  /// Whether ranks update different segments, so that what is summed over them is summed over ranks.
  [[nodiscard]] virtual bool cut() const = 0;

 protected:
  /// One of the two that a parameter has where both are of the same format.
  [[nodiscard]] const typename F::Small* small(std::size_t place) const override {
    if constexpr (std::is_same_v<typename F::Small, Compute>) return this->matrix(place);
    return nullptr;
  }

  /// What each rank adds to a mean.
  [[nodiscard]] Wide<Compute> share() const { return 1 / static_cast<Wide<Compute>>(channel_.size()); }
  template <class T>
  [[nodiscard]] Array<T> zeroed(std::size_t size, Category category, std::string_view line) {
    Array<T> array(allocator_, size, category, line);
    backend_.zero(array.data(), array.bytes());
    return array;
  }

  const ParameterList& list_;
  Backend& backend_;
  Allocator& allocator_;
  Channel& channel_;
  std::vector<Flat> units_;                  ///< layers, then what lies outside of them
  std::vector<std::size_t> offset_in_unit_;  ///< by place
  bool first_ = true, last_ = true;          ///< of the step's micro-batches
};

}  // namespace meshgauge::step
