// The measured peak memory of a run beside the counted one: which lines could be off, and what the profile learns.
#pragma once

#include <string>
#include <vector>

#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"
#include "core/validate/measured_run.hpp"

namespace meshgauge {

/// One line of the ledger, alive at the peak, that could be why.
struct MemoryExplanation {
  std::string line;  ///< its id
  std::string name;
  Category category = Category::activations;
  Bytes counted{};
  double factor = 1;       ///< that the line alone would have to be counted by
  bool plausible = false;  ///< within what its category was seen to differ by
};

struct MemoryComparison {
  MemoryKind kind = MemoryKind::allocated;
  Bytes measured{}, before{}, after{};
  std::vector<MemoryExplanation> explanations;  ///< of allocated memory: lines of tensors; of device: all
};

/// Each measured kind of the run beside what is counted on the rank that was read, with the lines that could explain
/// the difference by how little each would have to be off. Empty within one per cent.
[[nodiscard]] std::vector<MemoryComparison> explain_memory(const Profile&, const Scenario&, const Measured&);

/// The profile with the allocator's slack and the context as the run shows them: reserved over allocated memory, and
/// device memory over reserved. What tensors hold is counted, not fitted.
[[nodiscard]] Profile with_memory(const Profile&, const Scenario&, const Measured&);

}  // namespace meshgauge
