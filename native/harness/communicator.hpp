// One group of ranks, whatever carries its messages: MPI between CPUs, NCCL between GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/engine/collective.hpp"
#include "native/harness/element.hpp"

namespace meshgauge::harness {

/// What a rank asked its group to do, one entry a call, in order: compared with the core's traffic lines.
struct Sent {
  Collective collective;
  std::int64_t group_size;
  ElementType type;
  std::size_t bytes;  ///< as nccl-tests counts them: the whole array over the group; of send_recv the message
};

class Device;

/// How a backend is told of a buffer before it sends from it: as nccl-tests -R 1 and 2.
enum class Registration { none, local, symmetric };

/// Collectives are enqueued and finish in the order of their calls; `wait` returns when those so far have. A backend
/// without queues runs each at once. Buffers are the device's: host memory under MPI, GPU memory under NCCL. Counts are
/// elements. Send and receive buffer of an in-place call follow NCCL's rules: equal, or this rank's part of the whole.
/// Errors throw Failure.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  void all_reduce(const void* send, void* receive, std::size_t count, ElementType, ReduceOp);
  /// `count` elements of each rank become size() * count of all.
  void all_gather(const void* send, void* receive, std::size_t count, ElementType);
  /// size() * count elements become this rank's `count`.
  void reduce_scatter(const void* send, void* receive, std::size_t count, ElementType, ReduceOp);
  void broadcast(const void* send, void* receive, std::size_t count, ElementType, int root);
  void reduce(const void* send, void* receive, std::size_t count, ElementType, ReduceOp, int root);
  /// `count` elements to each rank and from each rank.
  void all_to_all(const void* send, void* receive, std::size_t count, ElementType);
  /// Part of a rank: `counts[r]` elements at `offsets[r]`.
  struct Parts {
    std::span<const std::size_t> counts, offsets;
  };
  void all_to_all_uneven(const void* send, Parts to, void* receive, Parts from, ElementType);
  void gather(const void* send, void* receive, std::size_t count, ElementType, int root);
  void scatter(const void* send, void* receive, std::size_t count, ElementType, int root);
  /// To one rank and from another, at the same time.
  void send_receive(const void* send, int to, void* receive, int from, std::size_t count, ElementType);
  /// One direction; the other rank calls the other. A rank may have both in flight between `group_begin` and
  /// `group_end`.
  void send(const void* data, std::size_t count, ElementType, int to);
  void receive(void* data, std::size_t count, ElementType, int from);

  /// Calls between them are one operation to a backend that can join them; all others run them as they come.
  virtual void group_begin() {}
  virtual void group_end() {}

  /// A GPU has a queue for kernels of its own. What is enqueued from now on starts after what the device has now, and
  /// what the device gets from now on starts after what is enqueued now. A CPU is done when its functions return.
  virtual void start_after(const Device&) {}
  virtual void finish_before(const Device&) { wait(); }

  /// CUDA graphs: what is enqueued between them is recorded instead, and `launch` enqueues all of it.
  [[nodiscard]] virtual bool captures() const { return false; }
  virtual void begin_capture() {}
  virtual void end_capture() {}
  virtual void launch() {}

  /// The buffer stays registered until `forget_buffers`, which has to come before it is released. Symmetric: all ranks
  /// call it in the same order with the same size.
  virtual void register_buffer(void*, std::size_t /*bytes*/, Registration) {}
  virtual void forget_buffers() {}

  /// Whether each call is done when it returns, where the backend has calls of its own for that which are faster than
  /// starting and waiting: MPI has. Others enqueue as ever. Not of `send` and `receive`.
  virtual void one_by_one(bool /*on*/) {}
  /// Whether what was enqueued has finished; lets a backend without a thread of its own make progress.
  [[nodiscard]] virtual bool test() = 0;
  virtual void wait() = 0;
  virtual void barrier() = 0;
  /// Ranks that give the same colour, ordered by key. A negative colour: none.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int colour, int key) = 0;
  /// Whether the backend has the type and, where one is given, the reduction.
  [[nodiscard]] virtual bool supports(ElementType) const = 0;
  [[nodiscard]] virtual bool supports(ElementType, ReduceOp) const = 0;
  [[nodiscard]] virtual std::string_view backend() const = 0;

  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  void forget_sent() { sent_.clear(); }
  void record_sent(bool on) { recording_ = on; }

 protected:
  Communicator() = default;

 private:
  virtual void do_all_reduce(const void*, void*, std::size_t, ElementType, ReduceOp) = 0;
  virtual void do_all_gather(const void*, void*, std::size_t, ElementType) = 0;
  virtual void do_reduce_scatter(const void*, void*, std::size_t, ElementType, ReduceOp) = 0;
  virtual void do_broadcast(const void*, void*, std::size_t, ElementType, int) = 0;
  virtual void do_reduce(const void*, void*, std::size_t, ElementType, ReduceOp, int) = 0;
  virtual void do_all_to_all(const void*, void*, std::size_t, ElementType) = 0;
  virtual void do_all_to_all_uneven(const void*, Parts, void*, Parts, ElementType) = 0;
  virtual void do_gather(const void*, void*, std::size_t, ElementType, int) = 0;
  virtual void do_scatter(const void*, void*, std::size_t, ElementType, int) = 0;
  virtual void do_send_receive(const void*, int, void*, int, std::size_t, ElementType) = 0;
  virtual void do_send(const void*, std::size_t, ElementType, int) = 0;
  virtual void do_receive(void*, std::size_t, ElementType, int) = 0;

  void record(Collective, std::size_t count, ElementType);

  std::vector<Sent> sent_;
  bool recording_ = false;
};

}  // namespace meshgauge::harness
