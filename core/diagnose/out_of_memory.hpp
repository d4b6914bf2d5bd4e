// PyTorch's out-of-memory messages, found in any text: what was asked for, and what the device held then.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class Accelerator { cuda, hip, xpu, mps, cpu };
MESHGAUGE_NAMES(Accelerator, "cuda", "hip", "xpu", "mps", "cpu");

/// What the program was doing, by the last telling frame of the traceback above the message.
enum class AllocationPlace { unknown, load, attention, mlp, loss, gather, optimizer };
MESHGAUGE_NAMES(AllocationPlace, "unknown", "load", "attention", "mlp", "loss", "gather", "optimizer");

/// An amount as printed: the true one is at most `half` a unit of the last digit away.
struct PrintedBytes {
  double bytes = 0;
  double half = 0;

  bool operator==(const PrintedBytes&) const = default;
};

struct ProcessUse {
  std::optional<std::int64_t> id;  ///< nothing: the process that failed
  PrintedBytes bytes;
};

/// Messages that ask for the same amount. What the device held is that of the first.
struct OutOfMemory {
  Accelerator accelerator = Accelerator::cuda;
  PrintedBytes requested;
  AllocationPlace place = AllocationPlace::unknown;
  std::int64_t messages = 1;
  std::vector<std::int64_t> ranks;     ///< by the prefixes of torchrun or srun, in the order met
  std::optional<std::int64_t> device;  ///< as the process numbers them
  bool rounded_by_allocator = true;    ///< the amount is that of a segment, not of the tensor
  std::optional<PrintedBytes> capacity, free, allowed;
  std::optional<PrintedBytes> allocated;      ///< tensors, private pools included
  std::optional<PrintedBytes> private_pools;  ///< of the allocated: CUDA graphs
  std::optional<PrintedBytes> unallocated;    ///< reserved, but in no tensor
  std::vector<ProcessUse> processes;
};

struct OutOfMemoryLog {
  std::vector<OutOfMemory> requests;  ///< of different amounts, in the order met
  std::int64_t left_out = 0;          ///< messages of further amounts
};

inline constexpr std::size_t most_requests = 20;
inline constexpr std::size_t most_ranks = 64;  ///< of one amount

/// Understands every wording since PyTorch 1.0 of the CUDA, ROCm, XPU, MPS and CPU allocators, with line breaks
/// anywhere and prefixes of launchers in front of lines. A text without a message gives no requests.
[[nodiscard]] OutOfMemoryLog read_out_of_memory(std::string_view text);

}  // namespace meshgauge
