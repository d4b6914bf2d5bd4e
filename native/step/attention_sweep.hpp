// Attention over a sweep of shapes, timed, checked, printed and kept.
#pragma once

#include <string>
#include <vector>

#include "native/harness/options.hpp"
#include "native/harness/runtime.hpp"
#include "native/step/attention_kernel.hpp"

namespace meshgauge::step {

struct AttentionFlags {
  harness::CommonOptions common;
  std::string shapes, formats, kernel = "step";  ///< as typed; empty: usual ones
  std::string model;                             ///< of the catalog; empty: none
  int tensor_parallel = 1, micro_batch = 1, sequence = 0;
  double budget_seconds = 1;  ///< of samples for each row
};

/// "1x1024x32/8x128,...": sequences x tokens x query heads/key-value heads x width. Throws BadInput.
[[nodiscard]] std::vector<AttentionShape> attention_shapes_of_text(const std::string& text);

/// The status to end with. Throws BadInput.
[[nodiscard]] int measure_attention(harness::Runtime&, const AttentionFlags&);

}  // namespace meshgauge::step
