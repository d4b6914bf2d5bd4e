// What one pipeline rank holds, with the figures that answers and tables speak of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/count/ledger.hpp"
#include "core/count/overhead.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

struct StageMemory {
  std::int64_t stage = 0;
  std::int64_t layers = 0;
  Ledger ledger;
  std::array<Bytes, phase_count> device{};  ///< by phase: everything on the card
  Phase peak = Phase::load;                 ///< the phase that needs most; the first of equal ones
  Bytes allocated{};                        ///< at the peak: tensors
  Bytes reserved{};                         ///< and what the allocator keeps beside them
  Bytes needed{};                           ///< on the card once the allocator has given back what it can

  [[nodiscard]] Bytes device_peak() const { return device[static_cast<std::size_t>(peak)]; }
};

[[nodiscard]] StageMemory stage_memory(const Scenario&, const OverheadConstants&, std::int64_t stage);
[[nodiscard]] std::vector<StageMemory> all_stages(const Scenario&, const OverheadConstants&);

/// The stage that decides whether the job fits: the first of those that need most.
[[nodiscard]] std::size_t binding_stage(const std::vector<StageMemory>&);
/// That stage alone.
[[nodiscard]] StageMemory fullest_stage(const Scenario&, const OverheadConstants&);

}  // namespace meshgauge
