// Numbers that look random and are the same everywhere.
#pragma once

#include <cstdint>

namespace meshgauge::testing {

/// Knuth's linear congruential generator.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  /// Between 0 and 1.
  [[nodiscard]] double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
  }
  /// Mean 0, deviation 1: twelve uniform numbers less six.
  [[nodiscard]] double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace meshgauge::testing
