#include "native/collectives/call.hpp"

#include <algorithm>

#include "native/collectives/check.hpp"

namespace meshgauge::harness {
namespace {

/// Room for the first element's displacement, whatever the type.
std::size_t room(std::size_t capacity, std::size_t unaligned) { return capacity + unaligned * 8; }

/// Offsets of parts that follow each other.
std::vector<std::size_t> running_sum(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> offsets;
  std::size_t at = 0;
  for (const std::size_t count : counts) {
    offsets.push_back(at);
    at += count;
  }
  return offsets;
}

}  // namespace

Call::Call(Communicator& group, Device& device, std::size_t capacity, std::size_t unaligned)
    : group_(group),
      device_(device),
      capacity_(capacity),
      unaligned_(unaligned),
      send_(device, room(capacity, unaligned)),
      receive_(device, room(capacity, unaligned)) {
  device.zero(send_.data(), send_.bytes());  // touched before the clock runs
  device.zero(receive_.data(), receive_.bytes());
}

std::byte* Call::begin(Buffer& buffer) const {
  return static_cast<std::byte*>(buffer.data()) + unaligned_ * bytes_of(request_.layout.type);
}

void Call::ask(Request request) {
  request_ = std::move(request);
  if (request_.op != Operation::alltoallv) return;
  const auto rank = static_cast<std::size_t>(group_.rank());
  to_counts_ = request_.traffic[rank];
  from_counts_.clear();
  for (const auto& row : request_.traffic) from_counts_.push_back(row[rank]);
  to_offsets_ = running_sum(to_counts_);
  from_offsets_ = running_sum(from_counts_);
}

void Call::run(bool in_place, std::size_t iteration) {
  const Layout& layout = request_.layout;
  const std::size_t size = bytes_of(layout.type), bytes = layout.bytes();
  const std::size_t places = bytes > 0 ? std::max<std::size_t>(1, capacity_ / bytes) : 1;
  const std::size_t shift = bytes * (iteration % places);
  const auto rank = static_cast<std::size_t>(group_.rank());
  std::byte* whole = begin(receive_) + shift;
  std::byte* send = in_place ? whole + layout.send_offset * rank * size : begin(send_) + shift;
  std::byte* receive = in_place ? whole + layout.receive_offset * rank * size : whole;
  const int root = request_.root;
  switch (request_.op) {
    case Operation::all_reduce:
      return group_.all_reduce(send, receive, layout.count, layout.type, request_.reduce_op);
    case Operation::all_gather:
      return group_.all_gather(send, receive, layout.count, layout.type);
    case Operation::reduce_scatter:
      return group_.reduce_scatter(send, receive, layout.count, layout.type, request_.reduce_op);
    case Operation::broadcast:
      return group_.broadcast(send, receive, layout.count, layout.type, root);
    case Operation::reduce:
      return group_.reduce(send, receive, layout.count, layout.type, request_.reduce_op, root);
    case Operation::alltoall:
      return group_.all_to_all(send, receive, layout.count, layout.type);
    case Operation::alltoallv:
      return group_.all_to_all_uneven(send, {to_counts_, to_offsets_}, receive, {from_counts_, from_offsets_},
                                      layout.type);
    case Operation::sendrecv: {
      const int n = group_.size(), r = group_.rank();
      return group_.send_receive(send, (r + 1) % n, receive, (r + n - 1) % n, layout.count, layout.type);
    }
    case Operation::gather:
      return group_.gather(send, receive, layout.count, layout.type, root);
    case Operation::scatter:
      return group_.scatter(send, receive, layout.count, layout.type, root);
    case Operation::hypercube:
      return exchange_hypercube(send, receive);
  }
}

/// In each step a rank gives all it has to the one whose number differs in one bit.
void Call::exchange_hypercube(const std::byte* send, std::byte* receive) {
  const Layout& layout = request_.layout;
  const std::size_t part = layout.count * bytes_of(layout.type);
  const auto rank = static_cast<std::size_t>(group_.rank());
  if (receive + rank * part != send) device_.copy(receive + rank * part, send, part);
  for (std::size_t bit = 1; bit < static_cast<std::size_t>(group_.size()); bit *= 2) {
    const std::size_t own = rank & ~(bit - 1), other = own ^ bit;
    const int peer = static_cast<int>(rank ^ bit);
    group_.send_receive(receive + own * part, peer, receive + other * part, peer, layout.count * bit, layout.type);
  }
}

void Call::fill(bool in_place, int round) {
  const Layout& layout = request_.layout;
  const std::size_t size = bytes_of(layout.type);
  device_.zero(begin(receive_), layout.bytes());
  const auto rank = static_cast<std::size_t>(group_.rank());
  std::byte* data = in_place ? begin(receive_) + layout.send_offset * rank * size : begin(send_);
  std::size_t count = layout.send;
  if (request_.op == Operation::alltoallv) count = to_offsets_.back() + to_counts_.back();
  fill_with(device_, data, count, sent_pattern(request_, group_.rank(), group_.size(), round));
}

Wrong Call::check(bool in_place, int round) {
  const std::vector<Segment> segments =
      expected_segments(request_, group_.rank(), group_.size(), in_place, from_counts_, from_offsets_);
  return compare(device_, begin(receive_), request_, group_.size(), segments, round);
}

}  // namespace meshgauge::harness
