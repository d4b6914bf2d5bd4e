#include "core/calibrate/import/rank_range.hpp"

#include <algorithm>
#include <cmath>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

constexpr double too_many = 1e9;

}  // namespace

void RankRange::take(const Decimal& algbw, const Decimal& busbw) {
  if (!(algbw.low() > 0)) return;
  const double lowest = std::max(0.0, busbw.low()) / algbw.high(), highest = busbw.high() / algbw.low();
  low_ = std::max(low_, lowest < 2 ? 2 / (2 - lowest) : std::numeric_limits<double>::infinity());
  if (highest < 2) high_ = std::min(high_, 2 / (2 - highest));
}

std::int64_t RankRange::fewest() const { return low_ < too_many ? static_cast<std::int64_t>(std::ceil(low_)) : 0; }
std::int64_t RankRange::most() const { return high_ < too_many ? static_cast<std::int64_t>(std::floor(high_)) : 0; }

std::int64_t RankRange::only() const { return fewest() > 1 && fewest() == most() ? fewest() : 0; }

std::string RankRange::note() const {
  if (only() > 0) return number_text(only()) + " ranks, from busbw / algbw = 2(n-1)/n.";
  if (fewest() < 2 || most() <= fewest()) return {};
  return "busbw / algbw allows " + number_text(fewest()) + " to " + number_text(most()) + " ranks.";
}

}  // namespace meshgauge
