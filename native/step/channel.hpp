// How a step's collectives are ordered with its kernels.
#pragma once

#include <algorithm>
#include <type_traits>

#include "native/harness/communicator.hpp"
#include "native/harness/device.hpp"
#include "native/step/host_device.hpp"

namespace meshgauge::step {

template <class T>
inline constexpr ElementType element_type = std::is_same_v<T, double>  ? ElementType::float64
                                            : std::is_same_v<T, float> ? ElementType::float32
                                                                       : ElementType::bfloat16;

/// A collective starts after the kernels so far, beside those that follow until `wait`. Without a group there are
/// none.
class Channel {
 public:
  Channel(harness::Communicator* group, const harness::Device& device) : group_(group), device_(device) {}

  bool sends = true;           ///< else a step only computes
  bool waits_at_once = false;  ///< nothing overlaps

  [[nodiscard]] std::size_t rank() const { return group_ ? static_cast<std::size_t>(group_->rank()) : 0; }
  [[nodiscard]] std::size_t size() const { return group_ ? static_cast<std::size_t>(group_->size()) : 1; }

  /// Sums, in place.
  template <class T>
  void all_reduce(T* data, std::size_t count) {
    start([&] { group_->all_reduce(data, data, count, element_type<T>, ReduceOp::sum); });
  }
  /// Sums of `count` elements to each rank.
  template <class T>
  void reduce_scatter(const T* data, T* part, std::size_t count) {
    if (const T* own = data + rank() * count; own != part) stand_in(part, own, count);
    start([&] { group_->reduce_scatter(data, part, count, element_type<T>, ReduceOp::sum); });
  }
  template <class T>
  void all_gather(const T* part, T* data, std::size_t count) {
    if (part != data + rank() * count) {
      for (std::size_t from = 0; from < size(); ++from) stand_in(data + from * count, part, count);
    }
    start([&] { group_->all_gather(part, data, count, element_type<T>); });
  }
  /// Kernels from now on start when the collectives so far have ended.
  void wait() {
    if (group_ && sends) group_->finish_before(device_);
  }
  /// Between kernels: lets the collectives go on.
  void progress() {
    if (group_ && sends) static_cast<void>(group_->test());
  }

 private:
  /// In a step that only computes: numbers of this rank where a collective would have written. Else kernels read what
  /// memory happens to hold, and a processor is many times slower at denormal numbers. GPUs are not.
  template <class T>
  void stand_in(T* to, const T* own, std::size_t count) {
    if (group_ && !sends && !device_.is_gpu()) std::copy_n(own, count, to);
  }
  template <class Call>
  void start(const Call& call) {
    if (!group_ || !sends) return;
    group_->start_after(device_);
    call();
    if (waits_at_once) wait();
  }

  harness::Communicator* group_;
  const harness::Device& device_;
};

}  // namespace meshgauge::step
