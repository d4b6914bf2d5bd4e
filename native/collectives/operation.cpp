#include "native/collectives/operation.hpp"

namespace meshgauge::harness {

Layout layout_of(Operation op, std::size_t bytes, ElementType type, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t all = bytes / bytes_of(type);
  const std::size_t whole_lines = 16 / bytes_of(type);  // elements
  const std::size_t part = all / n / whole_lines * whole_lines;
  switch (op) {
    case Operation::all_reduce:
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::sendrecv:
      return {all, all, all, 0, 0, type};
    case Operation::all_gather:
    case Operation::gather:
    case Operation::hypercube:
      return {part, part, part * n, part, 0, type};
    case Operation::reduce_scatter:
    case Operation::scatter:
      return {part, part * n, part, 0, part, type};
    case Operation::alltoall:
    case Operation::alltoallv:  // with parts of equal size; see uneven.hpp
      return {part, part * n, part * n, 0, 0, type};
  }
  return {};
}

double counted_bytes(Operation op, const Layout& layout, int ranks) {
  if (op != Operation::hypercube) return static_cast<double>(layout.bytes());
  return static_cast<double>(layout.count * bytes_of(layout.type)) * (ranks - 1);  // without the rank's own part
}

double bus_factor(Operation op, int ranks) {
  if (op == Operation::gather || op == Operation::scatter) return (ranks - 1.0) / ranks;
  const std::optional<Collective> collective = priced_as(op);
  return collective ? wire_factor(*collective, ranks) : 1;
}

std::optional<Collective> priced_as(Operation op) {
  switch (op) {
    case Operation::all_reduce:
      return Collective::all_reduce;
    case Operation::all_gather:
      return Collective::all_gather;
    case Operation::reduce_scatter:
      return Collective::reduce_scatter;
    case Operation::broadcast:
      return Collective::broadcast;
    case Operation::reduce:
      return Collective::reduce;
    case Operation::alltoall:
    case Operation::alltoallv:
      return Collective::all_to_all;
    case Operation::sendrecv:
      return Collective::send_recv;
    case Operation::gather:
    case Operation::scatter:
    case Operation::hypercube:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace meshgauge::harness
