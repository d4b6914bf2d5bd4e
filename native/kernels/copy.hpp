// Transfers over a sweep of sizes, timed, printed and kept.
#pragma once

#include <cstdint>
#include <vector>

#include "native/harness/options.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

struct CopyFlags {
  CommonOptions common;
  std::vector<std::uint64_t> sizes;  ///< bytes of a buffer; none: usual ones
  double budget_seconds = 1;         ///< of samples for each row
};

/// The status to end with.
[[nodiscard]] int measure_copies(Runtime&, const CopyFlags&);

}  // namespace meshgauge::harness
