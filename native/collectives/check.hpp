// What a rank's receive buffer has to hold after a call, and what of it is wrong.
#pragma once

#include <vector>

#include "native/collectives/call.hpp"
#include "native/collectives/pattern.hpp"

namespace meshgauge::harness {

/// A part of the receive buffer: elements `first` and on of what rank `source` sent, or of the reduction of all.
struct Segment {
  std::size_t offset = 0, count = 0;  ///< elements
  int source = 0;                     ///< of a reduction: none
  std::size_t first = 0;
};

[[nodiscard]] std::vector<Segment> expected_segments(const Request&, int rank, int ranks, bool in_place,
                                                     const std::vector<std::size_t>& from_counts,
                                                     const std::vector<std::size_t>& from_offsets);
[[nodiscard]] Pattern sent_pattern(const Request&, int rank, int ranks, int round);

void fill_with(Device&, std::byte* data, std::size_t count, const Pattern&);
[[nodiscard]] Wrong compare(Device&, const std::byte* data, const Request&, int ranks, const std::vector<Segment>&,
                            int round);

}  // namespace meshgauge::harness
