// A collective or a kernel that was timed alone, and what is predicted of it.
#include "core/validate/timing.hpp"

#include <cmath>

#include "core/price/collective.hpp"

namespace meshgauge {
namespace {

/// One process that drives eight GPUs, or a test that waits for each call, cannot show less than its own time.
double with_floor(double seconds, double floor) {
  if (floor <= 0) return seconds;
  const double s2 = seconds * seconds, f2 = floor * floor;
  return std::sqrt(std::sqrt(s2 * s2 + f2 * f2));
}

/// Nothing else runs: the network belongs to the collective.
Profile alone(Profile profile) {
  profile.network_share = profile.link_share = 1;
  return profile;
}

std::string size_band(double bytes) {
  constexpr double kib = 1024, mib = 1024 * kib;
  if (bytes <= 64 * kib) return "up to 64 KiB";
  if (bytes <= mib) return "up to 1 MiB";
  return bytes <= 16 * mib ? "up to 16 MiB" : "above 16 MiB";
}

}  // namespace

Comparison compare(const Timing& timing, const Profile& profile) {
  Comparison result;
  result.measured = timing.measured.value;
  TimeRange range;
  if (const auto* call = std::get_if<CollectiveCall>(&timing.call)) {
    result.predicted =
        collective_time(alone(profile), timing.cluster, call->collective, call->bytes, call->route).value;
    range = collective_range(profile, call->collective, call->bytes, call->route);
  } else {
    const KernelTime kernel = kernel_time(timing.cluster.gpu, std::get<KernelCall>(timing.call));
    result.predicted = kernel.seconds.value;
    range = {kernel.low, kernel.high};
  }
  result.predicted = with_floor(result.predicted, timing.floor.value);
  result.low = range.low * result.predicted;
  result.high = range.high * result.predicted;
  return result;
}

std::vector<Label> labels_of(const Timing& timing) {
  if (const auto* call = std::get_if<CollectiveCall>(&timing.call)) {
    return {{"operation", std::string(name_of(call->collective))},
            {"size", size_band(call->bytes)},
            {"reach", call->route.spans_nodes() ? "several nodes" : "one node"}};
  }
  const auto& call = std::get<KernelCall>(timing.call);
  const std::string operation(name_of(call.op));
  return {{"operation", is_product(call.op) ? operation + ' ' + std::string(name_of(call.format)) : operation},
          {"gpu", timing.cluster.gpu.id}};
}

}  // namespace meshgauge
