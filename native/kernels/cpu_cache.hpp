// The largest cache of a CPU.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace meshgauge::harness {

/// As the C library reads it from the processor; 32 MiB where it does not know.
[[nodiscard]] inline std::size_t cpu_cache_bytes() {
  const auto bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{32} << 20U;
}

}  // namespace meshgauge::harness
