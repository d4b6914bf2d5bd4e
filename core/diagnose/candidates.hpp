// Tensors that a scenario allocates in one piece, each with its size as a formula, and which of them a request fits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/count/ledger.hpp"
#include "core/diagnose/out_of_memory.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// `formula` is arithmetic over the values that gives the bytes, as in the ledger.
struct Tensor {
  const char* id;
  std::string name;
  const char* formula;
  std::string source;
  AllocationPlace place = AllocationPlace::unknown;  ///< where it is made
  int rarity = 0;  ///< 0: made by nearly every such scenario; among equals the smaller is likelier
  double bytes = 0;
  std::vector<Value> values;
};

inline constexpr int unlikely_rarity = 50;  ///< from here on: the scenario says that such a tensor is not made

/// What a rank of each kind of stage (first, middle, last) allocates, in 2 and 4 bytes an element where it can be
/// either. Sizes that are equal are all listed: a request tells no two of them apart.
[[nodiscard]] std::vector<Tensor> tensors_of(const Scenario&);

/// What the caching allocator asks the device for: requests up to 1 MiB take a segment of 2 MiB, up to 10 MiB one of
/// 20 MiB, larger ones are rounded up to 2 MiB (c10/cuda/CUDACachingAllocator.cpp get_allocation_size). The message
/// prints this.
[[nodiscard]] double segment_size(double bytes);

/// The tensor sizes that a message can stand for.
struct SizeRange {
  double low = 0, high = 0;

  [[nodiscard]] bool holds(double bytes) const { return bytes >= low && bytes <= high; }
};
[[nodiscard]] SizeRange possible_sizes(const OutOfMemory&);
/// True for 2 and 20 MiB: the size of the allocator's own segments, whatever the tensor.
[[nodiscard]] bool is_small_segment(const OutOfMemory&);

/// exact: the bytes are those printed. rounded: they are within the rounding of print and allocator.
enum class Closeness { exact, rounded };
MESHGAUGE_NAMES(Closeness, "exact", "rounded");

struct TensorMatch {
  Tensor tensor;
  Closeness closeness = Closeness::rounded;
};
/// The likeliest first: made where the traceback says, exact, usual.
[[nodiscard]] std::vector<TensorMatch> matching(const OutOfMemory&, std::span<const Tensor>);

}  // namespace meshgauge
