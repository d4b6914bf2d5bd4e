// The three amounts that tools call a job's memory: allocated, reserved and device bytes, phase by phase.
#pragma once

#include <array>
#include <string_view>

#include "core/count/ledger.hpp"

namespace meshgauge {

/// torch.cuda.max_memory_allocated, max_memory_reserved, and what nvidia-smi shows.
enum class MemoryKind { allocated, reserved, device };
MESHGAUGE_NAMES(MemoryKind, "allocated", "reserved", "device");
inline constexpr std::size_t memory_kind_count = 3;

using MemoryByKind = std::array<std::array<Bytes, phase_count>, memory_kind_count>;

/// Tensors; with what the allocator keeps beside them; with everything else on the card.
[[nodiscard]] inline MemoryByKind memory_by_kind(const Ledger& ledger) {
  MemoryByKind sums{};
  for (const LedgerLine& line : ledger.lines) {
    const std::string_view id = line.text.id;
    const MemoryKind least = line.category != Category::overhead                 ? MemoryKind::allocated
                             : id == "allocator_reserve" || id == "split_blocks" ? MemoryKind::reserved
                                                                                 : MemoryKind::device;
    for (auto kind = static_cast<std::size_t>(least); kind < memory_kind_count; ++kind) {
      for (std::size_t phase = 0; phase < phase_count; ++phase) {
        if (line.phases.has(static_cast<Phase>(phase))) sums[kind][phase] += line.bytes;
      }
    }
  }
  return sums;
}

/// Bytes that each phase needs once the allocator has given back what it can: its tensors and the least share beside
/// them, and all that is not the allocator's to give.
[[nodiscard]] inline std::array<Bytes, phase_count> needed_by_phase(const Ledger& ledger, double least_slack) {
  std::array<double, phase_count> tensors{};
  std::array<Bytes, phase_count> needed{};
  for (const LedgerLine& line : ledger.lines) {
    if (line.text.id == std::string_view("allocator_reserve")) continue;
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
      if (!line.phases.has(static_cast<Phase>(phase))) continue;
      if (line.category == Category::overhead) {
        needed[phase] += line.bytes;
      } else {
        tensors[phase] += line.bytes.value;
      }
    }
  }
  for (std::size_t phase = 0; phase < phase_count; ++phase) needed[phase] += whole((1 + least_slack) * tensors[phase]);
  return needed;
}

}  // namespace meshgauge
