// One collective of one group with its buffers: run out of place and in place, filled and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "native/collectives/operation.hpp"
#include "native/collectives/uneven.hpp"
#include "native/harness/communicator.hpp"
#include "native/harness/device.hpp"

namespace meshgauge::harness {

/// What is asked of the group.
struct Request {
  Operation op = Operation::all_reduce;
  Layout layout;
  ReduceOp reduce_op = ReduceOp::sum;
  int root = 0;
  Traffic traffic;  ///< of alltoallv
};

/// Elements that are not what they should be.
struct Wrong {
  std::int64_t count = 0;
  std::string first;  ///< where and what; empty if none
};

class Call {
 public:
  /// Buffers for calls of up to `capacity` bytes, the first element at `unaligned`.
  Call(Communicator& group, Device& device, std::size_t capacity, std::size_t unaligned);

  void ask(Request);
  /// Enqueues it. Iterations go through the buffers, so that caches do not help.
  void run(bool in_place, std::size_t iteration);
  void wait() { group_.wait(); }
  /// Puts new data in, for this round of checks.
  void fill(bool in_place, int round);
  /// Compares what came out of the first iteration.
  [[nodiscard]] Wrong check(bool in_place, int round);

  [[nodiscard]] std::size_t bytes() const { return request_.layout.bytes(); }
  [[nodiscard]] Communicator& group() { return group_; }
  [[nodiscard]] Buffer& send_buffer() { return send_; }
  [[nodiscard]] Buffer& receive_buffer() { return receive_; }

 private:
  [[nodiscard]] std::byte* begin(Buffer&) const;
  void exchange_uneven(const void* send, void* receive);
  void exchange_hypercube(const std::byte* send, std::byte* receive);

  Communicator& group_;
  Device& device_;
  std::size_t capacity_, unaligned_;
  Buffer send_, receive_;
  Request request_;
  std::vector<std::size_t> to_counts_, to_offsets_, from_counts_, from_offsets_;  ///< of alltoallv
};

}  // namespace meshgauge::harness
