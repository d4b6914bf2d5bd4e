#include "native/collectives/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace meshgauge::harness {
namespace {

/// Bytes that pass through host memory at once.
constexpr std::size_t chunk_bytes = 4U << 20U;

std::uint64_t bits_at(const std::byte* data, std::size_t index, ElementType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data + index * bytes_of(type), bytes_of(type));
  return bits;
}

bool equal(ElementType type, std::uint64_t got, std::uint64_t wanted, double tolerance) {
  if (got == wanted) return true;
  if (tolerance == 0) return false;
  const double x = value_of(type, got), y = value_of(type, wanted);
  return std::abs(x - y) <= tolerance * std::abs(y);
}

Wrong compare_segment(Device& device, const std::byte* data, const Segment& segment, const Pattern& pattern,
                      double tolerance) {
  const std::size_t size = bytes_of(pattern.type());
  Wrong wrong;
  std::vector<std::byte> got, wanted;
  for (std::size_t done = 0; done < segment.count;) {
    const std::size_t count = std::min(segment.count - done, chunk_bytes / size);
    got.resize(count * size);
    wanted.resize(count * size);
    device.copy_out(got.data(), data + (segment.offset + done) * size, got.size());
    pattern.fill(wanted.data(), segment.first + done, count);
    if (std::memcmp(got.data(), wanted.data(), got.size()) != 0) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t x = bits_at(got.data(), i, pattern.type()), y = bits_at(wanted.data(), i, pattern.type());
        if (equal(pattern.type(), x, y, tolerance)) continue;
        if (wrong.count++ > 0) continue;
        const std::size_t at = segment.offset + done + i;
        wrong.first = fmt::format("element {} (byte {}) is {} (0x{:x}), not {} (0x{:x})", at, at * size,
                                  value_of(pattern.type(), x), x, value_of(pattern.type(), y), y);
      }
    }
    done += count;
  }
  return wrong;
}

}  // namespace

std::vector<Segment> expected_segments(const Request& request, int rank, int ranks, bool in_place,
                                       const std::vector<std::size_t>& from_counts,
                                       const std::vector<std::size_t>& from_offsets) {
  const Layout& layout = request.layout;
  const auto r = static_cast<std::size_t>(rank);
  const std::size_t own = in_place ? layout.receive_offset * r : 0;  // where this rank's result begins
  std::vector<Segment> segments;
  switch (request.op) {
    case Operation::all_reduce:
      return {{0, layout.count, 0, 0}};
    case Operation::reduce:
      return rank == request.root ? std::vector<Segment>{{0, layout.count, 0, 0}} : segments;
    case Operation::reduce_scatter:
      return {{own, layout.count, 0, layout.count * r}};
    case Operation::broadcast:
      return {{0, layout.count, request.root, 0}};
    case Operation::sendrecv:
      return {{0, layout.count, (rank + ranks - 1) % ranks, 0}};
    case Operation::scatter:
      return {{own, layout.count, request.root, layout.count * r}};
    case Operation::gather:
      if (rank != request.root) return segments;
      [[fallthrough]];
    case Operation::all_gather:
    case Operation::hypercube:
      for (int s = 0; s < ranks; ++s)
        segments.push_back({layout.count * static_cast<std::size_t>(s), layout.count, s, 0});
      return segments;
    case Operation::alltoall:
      for (int s = 0; s < ranks; ++s) {
        segments.push_back({layout.count * static_cast<std::size_t>(s), layout.count, s, layout.count * r});
      }
      return segments;
    case Operation::alltoallv:
      for (int s = 0; s < ranks; ++s) {
        const auto from = static_cast<std::size_t>(s);
        std::size_t first = 0;
        for (std::size_t to = 0; to < r; ++to) first += request.traffic[from][to];
        segments.push_back({from_offsets[from], from_counts[from], s, first});
      }
      return segments;
  }
  return segments;
}

Pattern sent_pattern(const Request& request, int rank, int ranks, int round) {
  return reduces(request.op) ? reduced_pattern(request.layout.type, request.reduce_op, rank, ranks, round)
                             : moved_pattern(request.layout.type, rank, round);
}

void fill_with(Device& device, std::byte* data, std::size_t count, const Pattern& pattern) {
  const std::size_t size = bytes_of(pattern.type());
  std::vector<std::byte> host;
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, chunk_bytes / size);
    host.resize(part * size);
    pattern.fill(host.data(), done, part);
    device.copy_in(data + done * size, host.data(), host.size());
    done += part;
  }
}

Wrong compare(Device& device, const std::byte* data, const Request& request, int ranks,
              const std::vector<Segment>& segments, int round) {
  const ElementType type = request.layout.type;
  const double tolerance = reduces(request.op) ? tolerance_of(type, request.reduce_op, ranks) : 0;
  Wrong all;
  for (const Segment& segment : segments) {
    if (segment.count == 0) continue;
    const Pattern pattern = reduces(request.op) ? result_pattern(type, request.reduce_op, ranks, round)
                                                : moved_pattern(type, segment.source, round);
    const Wrong wrong = compare_segment(device, data, segment, pattern, tolerance);
    if (all.first.empty()) all.first = wrong.first;
    all.count += wrong.count;
  }
  return all;
}

}  // namespace meshgauge::harness
