// Where a step finds weights and leaves gradients, whoever holds, cuts and gathers them.
#pragma once

#include <cstddef>

#include "native/step/formats.hpp"

namespace meshgauge::step {

/// The model calls the hooks of each micro-batch in this order: before and after the forward of the root (what lies
/// outside the layers) and each layer; before the backward of the root, of each layer from the last; `ready` for each
/// parameter in the list's order; after the backward of each layer, of the root. Weights are there between before and
/// after, gradients from before_backward until they are ready: what is there is added to.
template <class F>
class Parameters {
 public:
  virtual ~Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// As products read it.
  [[nodiscard]] virtual const typename F::Compute* matrix(std::size_t place) const = 0;
  /// As all other kernels read it.
  [[nodiscard]] virtual const typename F::Small* small(std::size_t place) const = 0;
  [[nodiscard]] virtual typename F::Gradient* gradient(std::size_t place) = 0;
  virtual void before_forward(std::size_t /*unit*/) {}
  virtual void after_forward(std::size_t /*unit*/) {}
  virtual void before_backward(std::size_t /*unit*/) {}
  virtual void ready(std::size_t /*place*/) {}
  /// Of the root, which waits for the embedding's.
  virtual void after_head() {}
  virtual void after_backward(std::size_t /*unit*/) {}

 protected:
  Parameters() = default;
};

}  // namespace meshgauge::step
