#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/diagnose/candidates.hpp"
#include "core/units.hpp"

namespace meshgauge {
namespace {

constexpr double small = mebibyte.value;               ///< kSmallSize
constexpr double small_segment = 2 * mebibyte.value;   ///< kSmallBuffer, kRoundLarge
constexpr double least_large = 10 * mebibyte.value;    ///< kMinLargeAlloc
constexpr double large_segment = 20 * mebibyte.value;  ///< kLargeBuffer

bool printed_as(const OutOfMemory& request, double bytes) {
  return std::fabs(bytes - request.requested.bytes) <= request.requested.half;
}

bool fits(const OutOfMemory& request, double bytes) {
  // Code outside the allocator, and older prints, give the tensor's size itself.
  return printed_as(request, bytes) || (request.rounded_by_allocator && printed_as(request, segment_size(bytes)));
}

}  // namespace

double segment_size(double bytes) {
  if (bytes <= small) return small_segment;
  if (bytes < least_large) return large_segment;
  return std::ceil(bytes / small_segment) * small_segment;
}

bool is_small_segment(const OutOfMemory& request) {
  const double bytes = request.requested.bytes;
  return request.rounded_by_allocator && (bytes == small_segment || bytes == large_segment);
}

SizeRange possible_sizes(const OutOfMemory& request) {
  const double low = request.requested.bytes - request.requested.half;
  const double high = request.requested.bytes + request.requested.half;
  const bool rounded = request.rounded_by_allocator && low > large_segment;
  return {rounded ? low - small_segment + 1 : low, high};
}

std::vector<TensorMatch> matching(const OutOfMemory& request, std::span<const Tensor> tensors) {
  std::vector<TensorMatch> found;
  if (is_small_segment(request)) return found;
  for (const Tensor& tensor : tensors) {
    if (!fits(request, tensor.bytes)) continue;
    found.push_back({tensor, tensor.bytes == request.requested.bytes ? Closeness::exact : Closeness::rounded});
  }
  const auto order = [&](const TensorMatch& match) {
    const bool elsewhere = request.place != AllocationPlace::unknown && match.tensor.place != request.place;
    return std::tuple(elsewhere, match.tensor.rarity >= unlikely_rarity, match.closeness, match.tensor.rarity);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const TensorMatch& a, const TensorMatch& b) { return order(a) < order(b); });
  return found;
}

}  // namespace meshgauge
