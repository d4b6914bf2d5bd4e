// Sub-groups of the ranks, as training has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/price/route.hpp"

namespace meshgauge::harness {

struct Grouping {
  int size = 1;      ///< ranks of a group
  int stride = 1;    ///< between neighbours in it
  std::string axis;  ///< "tp", "dp"; empty: all ranks are one group

  [[nodiscard]] int colour(int rank) const { return stride == 1 ? rank / size : rank % stride; }
};

/// "tp=8": groups of 8 neighbours. "dp=4": of 4 ranks as far apart as they can be, as data parallelism is laid over
/// tensor parallelism. Throws BadInput where the groups do not divide the ranks.
[[nodiscard]] Grouping grouping_of(const std::string& split, int ranks);

/// NCCL_TESTS_SPLIT ("MOD 4", "DIV 2", "AND 1", "OR 1", or % / & |) and NCCL_TESTS_SPLIT_MASK (hexadecimal): the
/// colour of a rank, if they are set. Throws BadInput.
[[nodiscard]] std::optional<int> colour_of_environment(int rank);

/// Of the members of a group, in its order, given the node of every rank.
[[nodiscard]] Route route_of(const std::vector<int>& nodes);

}  // namespace meshgauge::harness
