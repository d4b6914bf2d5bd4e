// The process groups of a layout: which ranks talk to each other, and over which links.
#include "core/launch/groups.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// The degrees of one grid over all ranks, fastest first. Data-parallel ranks that hold one sharded copy together are
/// neighbours (ds), and its replicas lie over them (dr): num_distributed_optimizer_instances, HSDP's mesh.
struct Axis {
  std::string_view name;
  std::int64_t size;
};
using Grid = std::array<Axis, 5>;

Grid grid_of(RankOrder order, Axis first, Axis second, std::int64_t data, std::int64_t replicas, Axis pipeline) {
  const Axis ds{"ds", data / replicas}, dr{"dr", replicas};
  return order == RankOrder::tp_cp_ep_dp_pp ? Grid{first, second, ds, dr, pipeline}
                                            : Grid{first, second, pipeline, ds, dr};
}

/// Megatron's generate_masked_orthogonal_rank_groups: the axes named vary inside a group, the others between groups.
std::vector<Stride> strides(const Grid& grid, std::string_view axes, bool inside) {
  std::vector<Stride> list;
  std::int64_t stride = 1;
  for (const Axis& axis : grid) {
    const bool named = axes.find(axis.name) != std::string_view::npos;
    const bool goes_on = !list.empty() && list.back().size * list.back().stride == stride;
    if (axis.size > 1 && named == inside) {
      if (goes_on) {
        list.back().size *= axis.size;
      } else {
        list.push_back({axis.size, stride});
      }
    }
    stride *= axis.size;
  }
  return list;
}

std::int64_t product(const std::vector<Stride>& strides) {
  std::int64_t size = 1;
  for (const Stride& s : strides) size *= s.size;
  return size;
}

std::int64_t offset(const std::vector<Stride>& strides, std::int64_t index) {
  std::int64_t sum = 0;
  for (const Stride& s : strides) {
    sum += index % s.size * s.stride;
    index /= s.size;
  }
  return sum;
}

/// First and last stage, which hold the word embeddings (default_embedding_ranks).
GroupKind embedding(const GroupKind& pipeline, std::int64_t stages) {
  return {"embedding",
          "first and last stage: gradients of tied embeddings",
          {{2, pipeline.members.front().stride * (stages - 1)}},
          pipeline.starts};
}

}  // namespace

std::int64_t GroupKind::size() const { return product(members); }
std::int64_t GroupKind::count() const { return product(starts); }

Result<std::vector<GroupKind>> process_groups(const Scenario& s, RankOrder order) {
  const Parallelism& p = s.parallelism;
  const bool apart = s.model.moe.used() && p.pipeline > 1 && p.expert_data() != p.data;
  if (order == RankOrder::tp_cp_ep_pp_dp && apart) {
    return Issues{{"/order", "order tp-cp-ep-pp-dp needs as many data-parallel ranks of experts as of the rest: " +
                                 number_text(p.expert_data()) + " and " + number_text(p.data) +
                                 " here. Set tp-cp-ep-dp-pp."}};
  }
  const Axis pp{"pp", p.pipeline};
  const Grid dense = grid_of(order, {"tp", p.tensor}, {"cp", p.context}, p.data, p.replicas, pp);
  const Grid sparse = grid_of(order, {"tp", p.expert_tensor}, {"ep", p.expert}, p.expert_data(), 1, pp);
  std::vector<GroupKind> kinds;
  const auto add = [&](const Grid& grid, std::string_view name, std::string_view axes, std::string_view purpose) {
    GroupKind kind{name, purpose, strides(grid, axes, true), strides(grid, axes, false)};
    if (kind.size() > 1) kinds.push_back(std::move(kind));
  };
  add(dense, "tensor_parallel", "tp", "shares the matrices of each layer");
  add(dense, "context_parallel", "cp", "shares each sequence");
  if (s.model.moe.used()) {
    add(sparse, "expert_tensor_parallel", "tp", "shares the matrices of each expert");
    add(sparse, "expert_parallel", "ep", "shares the experts of a layer");
  }
  add(dense, "pipeline_parallel", "pp", "the stages of one replica");
  if (p.pipeline > 1) kinds.push_back(embedding(kinds.back(), p.pipeline));
  if (p.tensor > 1 && p.pipeline > 1) add(dense, "model_parallel", "tp-pp", "holds one copy of the weights");
  if (p.context > 1) add(dense, "data_loading", "ds-dr", "reads different samples");
  add(dense, "data_parallel", "cp-ds-dr", "holds the same weights: reduces gradients");
  if (p.replicas > 1) {
    add(dense, "data_parallel_shard", "cp-ds", "holds one sharded copy of the states");
    add(dense, "data_parallel_replicate", "dr", "holds the same shard of each copy");
  }
  if (s.model.moe.used()) add(sparse, "expert_data_parallel", "ds-dr", "holds the same experts");
  kinds.push_back({"world", "all ranks", {{s.cluster.gpus, 1}}, {}});
  return kinds;
}

std::vector<std::int64_t> group_ranks(const GroupKind& kind, std::int64_t index) {
  const std::int64_t start = offset(kind.starts, index);
  const std::int64_t size = kind.size();
  std::vector<std::int64_t> ranks;
  ranks.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) ranks.push_back(start + offset(kind.members, i));
  return ranks;
}

Reach group_reach(const Cluster& cluster, const std::vector<std::int64_t>& ranks) {
  const auto all_within = [&](std::int64_t gpus) { return ranks.front() / gpus == ranks.back() / gpus; };
  if (all_within(cluster.gpus_per_node)) return Reach::inside_node;
  const bool blocks = cluster.oversubscription > 1 && !all_within(cluster.gpus_per_block());
  return blocks ? Reach::between_blocks : Reach::between_nodes;
}

std::int64_t most_in_one_node(const Cluster& cluster, const std::vector<std::int64_t>& ranks) {
  std::int64_t most = 0, here = 0, node = -1;
  for (const std::int64_t rank : ranks) {
    here = rank / cluster.gpus_per_node == node ? here + 1 : 1;
    node = rank / cluster.gpus_per_node;
    most = std::max(most, here);
  }
  return most;
}

}  // namespace meshgauge
