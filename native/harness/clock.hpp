// Time that only goes forward.
#pragma once

#include <chrono>

namespace meshgauge::harness {

/// Seconds since some moment of this process' machine.
[[nodiscard]] inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace meshgauge::harness
