#include "native/harness/communicator.hpp"

namespace meshgauge::harness {

void Communicator::record(Collective collective, std::size_t count, ElementType type) {
  if (recording_) sent_.push_back({collective, size(), type, count * bytes_of(type)});
}

void Communicator::all_reduce(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op) {
  record(Collective::all_reduce, count, type);
  do_all_reduce(send, receive, count, type, op);
}

void Communicator::all_gather(const void* send, void* receive, std::size_t count, ElementType type) {
  record(Collective::all_gather, count * static_cast<std::size_t>(size()), type);
  do_all_gather(send, receive, count, type);
}

void Communicator::reduce_scatter(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op) {
  record(Collective::reduce_scatter, count * static_cast<std::size_t>(size()), type);
  do_reduce_scatter(send, receive, count, type, op);
}

void Communicator::broadcast(const void* send, void* receive, std::size_t count, ElementType type, int root) {
  record(Collective::broadcast, count, type);
  do_broadcast(send, receive, count, type, root);
}

void Communicator::reduce(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op, int root) {
  record(Collective::reduce, count, type);
  do_reduce(send, receive, count, type, op, root);
}

void Communicator::all_to_all(const void* send, void* receive, std::size_t count, ElementType type) {
  record(Collective::all_to_all, count * static_cast<std::size_t>(size()), type);
  do_all_to_all(send, receive, count, type);
}

void Communicator::all_to_all_uneven(const void* send, Parts to, void* receive, Parts from, ElementType type) {
  std::size_t count = 0;
  for (const std::size_t part : to.counts) count += part;
  record(Collective::all_to_all, count, type);
  do_all_to_all_uneven(send, to, receive, from, type);
}

void Communicator::gather(const void* send, void* receive, std::size_t count, ElementType type, int root) {
  do_gather(send, receive, count, type, root);
}

void Communicator::scatter(const void* send, void* receive, std::size_t count, ElementType type, int root) {
  do_scatter(send, receive, count, type, root);
}

void Communicator::send_receive(const void* send, int to, void* receive, int from, std::size_t count,
                                ElementType type) {
  record(Collective::send_recv, count, type);
  do_send_receive(send, to, receive, from, count, type);
}

void Communicator::send(const void* data, std::size_t count, ElementType type, int to) {
  record(Collective::send_recv, count, type);
  do_send(data, count, type, to);
}

void Communicator::receive(void* data, std::size_t count, ElementType type, int from) {
  do_receive(data, count, type, from);
}

}  // namespace meshgauge::harness
