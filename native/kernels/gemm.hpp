// Products over a sweep of shapes, timed, checked, printed and kept.
#pragma once

#include <string>

#include "native/harness/options.hpp"
#include "native/harness/runtime.hpp"
#include "native/kernels/shapes.hpp"

namespace meshgauge::harness {

struct GemmFlags {
  CommonOptions common;
  std::string shapes, formats;  ///< as typed; empty: usual ones
  ModelFlags model;             ///< no name: no model
  double budget_seconds = 1;    ///< of samples for each shape
};

/// CPUs need OpenBLAS, which a build may lack.
[[nodiscard]] bool can_multiply(const Device&);
/// The status to end with. Throws BadInput.
[[nodiscard]] int measure_products(Runtime&, const GemmFlags&);

}  // namespace meshgauge::harness
