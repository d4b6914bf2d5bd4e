// Seconds of a collective over two link tiers: latency, bytes over the bus ceiling, and what pipelining loses.
#pragma once

#include <cstdint>

#include "core/engine/collective.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/cluster.hpp"

namespace meshgauge {

/// Where the members of a group sit.
struct Route {
  std::int64_t size = 1;
  std::int64_t per_node = 1;

  [[nodiscard]] constexpr bool spans_nodes() const { return per_node < size; }
};

/// `bytes` in the sense of nccl-tests: the whole buffer of all-reduce, the output of all-gather, the input of
/// reduce-scatter, what one rank sends in all-to-all, the message of send_recv.
[[nodiscard]] Seconds collective_time(const Profile&, const Cluster&, Collective, double bytes, Route);

/// Base-2 logarithm, straight lines between powers of two: the same bits with every C library.
[[nodiscard]] double log2_of(std::int64_t n);

}  // namespace meshgauge
