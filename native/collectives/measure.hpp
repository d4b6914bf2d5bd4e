// How long a call takes: as nccl-tests times it, or sample by sample until the median is certain.
#pragma once

#include <vector>

#include "native/collectives/call.hpp"
#include "native/collectives/flags.hpp"
#include "native/harness/runtime.hpp"
#include "native/harness/sampler.hpp"

namespace meshgauge::harness {

struct Measured {
  double seconds = 0;        ///< what the table shows, over ranks as the flags say
  Summary summary;           ///< one sample if only the mean is known
  std::vector<double> each;  ///< of each iteration where they are timed one by one, largest over ranks
};

/// `call` is none on ranks that idle. Every rank calls.
[[nodiscard]] Measured measure(Runtime&, Call* call, const CollectiveFlags&, bool in_place);

/// Over the ranks that take part.
[[nodiscard]] double combined(Runtime&, std::optional<double> mine, Average);

}  // namespace meshgauge::harness
