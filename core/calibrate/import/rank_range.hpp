// How many ranks an all-reduce had, from its two bandwidths: busbw / algbw = 2(n-1)/n (nccl-tests doc/PERFORMANCE.md).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/calibrate/import/decimal.hpp"

namespace meshgauge {

/// The whole numbers that all rows allow, with what was rounded away from each.
class RankRange {
 public:
  void take(const Decimal& algbw, const Decimal& busbw);
  /// The only one; 0 if several or none are left.
  [[nodiscard]] std::int64_t only() const;
  /// What follows, as a sentence; empty if nothing does.
  [[nodiscard]] std::string note() const;

 private:
  [[nodiscard]] std::int64_t fewest() const;
  [[nodiscard]] std::int64_t most() const;
  double low_ = 1, high_ = std::numeric_limits<double>::infinity();
};

}  // namespace meshgauge
