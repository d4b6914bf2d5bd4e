// The collectives that are measured: what each moves, as nccl-tests counts it (its doc/PERFORMANCE.md).
#pragma once

#include <cstddef>
#include <optional>

#include "core/engine/collective.hpp"
#include "core/scenario/names.hpp"
#include "native/harness/element.hpp"

namespace meshgauge {

enum class Operation {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  alltoall,
  alltoallv,
  sendrecv,
  gather,
  scatter,
  hypercube
};
MESHGAUGE_NAMES(Operation, "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "alltoallv",
                "sendrecv", "gather", "scatter", "hypercube");

namespace harness {

[[nodiscard]] constexpr bool reduces(Operation op) {
  return op == Operation::all_reduce || op == Operation::reduce_scatter || op == Operation::reduce;
}
[[nodiscard]] constexpr bool has_root(Operation op) {
  return op == Operation::broadcast || op == Operation::reduce || op == Operation::gather || op == Operation::scatter;
}
/// Where ranks read and write the same memory at once, only the time is of interest.
[[nodiscard]] constexpr bool checked_in_place(Operation op) {
  return op != Operation::alltoall && op != Operation::alltoallv && op != Operation::sendrecv;
}

/// Elements of one call on one rank.
struct Layout {
  std::size_t count = 0;              ///< as the column says: of a rank's part where the whole is made of parts
  std::size_t send = 0, receive = 0;  ///< of the largest rank
  /// Where in the receive buffer the other one begins in place, times the rank.
  std::size_t send_offset = 0, receive_offset = 0;
  ElementType type = ElementType::float32;

  [[nodiscard]] std::size_t bytes() const { return (send > receive ? send : receive) * bytes_of(type); }
};

/// Of a call over about `bytes`. Parts are rounded down to 16 bytes.
[[nodiscard]] Layout layout_of(Operation, std::size_t bytes, ElementType, int ranks);

/// Bytes that the algorithm bandwidth counts, and the bus bandwidth over it.
[[nodiscard]] double counted_bytes(Operation, const Layout&, int ranks);
[[nodiscard]] double bus_factor(Operation, int ranks);

/// What the core prices, if it does.
[[nodiscard]] std::optional<Collective> priced_as(Operation);

}  // namespace harness
}  // namespace meshgauge
