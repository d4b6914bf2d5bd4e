// The process groups of a layout: which ranks talk to each other, and over which links.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/issue.hpp"
#include "core/scenario/names.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Which degree varies fastest over the ranks, first to last. Megatron-LM's default, and what
/// --use-tp-pp-dp-mapping makes of it (megatron/training/initialize.py).
enum class RankOrder { tp_cp_ep_dp_pp, tp_cp_ep_pp_dp };
MESHGAUGE_NAMES(RankOrder, "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp");

/// A degree inside a group, or over groups: `size` ranks, `stride` apart.
struct Stride {
  std::int64_t size = 1;
  std::int64_t stride = 1;

  bool operator==(const Stride&) const = default;
};

/// The slowest link that a group crosses.
enum class Reach { inside_node, between_nodes, between_blocks };
MESHGAUGE_NAMES(Reach, "inside_node", "between_nodes", "between_blocks");

/// Groups of one kind. Ranks are sums of one multiple of each stride, the first of a list varying fastest: those of a
/// group over `members`, added to the first rank of the group, which goes over `starts`.
struct GroupKind {
  std::string_view name;  ///< as in the answer to `describe`, where it is one of those
  std::string_view purpose;
  std::vector<Stride> members;
  std::vector<Stride> starts;

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::int64_t count() const;
};

/// Every kind of group with more than one rank, in the order in which a step meets them; `world` is always there.
/// megatron/core/parallel_state.py initialize_model_parallel (core 0.14): one grid tp x cp x dp x pp, and for experts
/// etp x ep x edp x pp over the same ranks. torchtitan 0.2 nests its meshes alike (distributed/parallel_dims.py).
[[nodiscard]] Result<std::vector<GroupKind>> process_groups(const Scenario&, RankOrder);

/// Ranks of the `index`-th group, ascending: each degree of a group strides over all of those before it.
[[nodiscard]] std::vector<std::int64_t> group_ranks(const GroupKind&, std::int64_t index);

/// Both of ranks as group_ranks() gives them.
[[nodiscard]] Reach group_reach(const Cluster&, const std::vector<std::int64_t>& ranks);
/// The most ranks of one group that sit in one node.
[[nodiscard]] std::int64_t most_in_one_node(const Cluster&, const std::vector<std::int64_t>& ranks);

}  // namespace meshgauge
