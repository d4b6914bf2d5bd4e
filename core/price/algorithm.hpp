// What NCCL decides for a collective: algorithm, protocol and channels, by its own cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engine/collective.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

enum class Algorithm { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat, point_to_point };
MESHGAUGE_NAMES(Algorithm, "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat",
                "point_to_point");

/// LL: 4 bytes of data beside 4 of flag; LL128: 120 of 128; Simple: whole chunks and a fence (arXiv:2507.04786).
enum class Protocol { ll, ll128, simple };
MESHGAUGE_NAMES(Protocol, "LL", "LL128", "Simple");

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::int64_t channels = 1;
};

/// The cheapest of what NCCL 2.28 allows here. Nothing for other vendors' libraries, or where nobody communicates.
[[nodiscard]] std::optional<Choice> choose_algorithm(const Profile&, const Cluster&, Collective, double bytes, Route);

/// An algorithm and protocol that NCCL may take, and its own cost model's time over that of what it takes.
struct Alternative {
  Choice choice;
  double over_choice = 1;
};
/// All of them, in NCCL's order; none where nothing is chosen, and for sends, where there is no choice.
[[nodiscard]] std::vector<Alternative> alternatives(const Profile&, const Cluster&, Collective, double bytes, Route);

}  // namespace meshgauge
