// t = A + X + c sqrt(A X): latency A, bytes over the bus ceiling X, and a cross term. A chunked pipeline at its best
// chunk size has c = 2; protocols and trees come closer to the bound. Fitted by us on 145 series of nccl-tests and
// other tables (35 systems, V100 to GB300) as (A^q + X^q)^(1/q); c = 2^(1/q) - 2 agrees with that within 2 %.
#include "core/price/collective.hpp"

#include <algorithm>
#include <cmath>

namespace meshgauge {
namespace {

/// How an operation departs from the ring.
struct Shape {
  double ceiling;      ///< its ceiling over the ring's
  double small_group;  ///< loss of small groups: 1 - this / k^2, as ranks also copy their own part
  double cross_intra;  ///< c in a node
  double cross_inter;  ///< c between nodes
};

Shape shape_of(Collective op) {
  switch (op) {
    case Collective::all_reduce:
      return {1.03, 0.42, 1.115, 0.619};
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return {1.00, 1.1, 1.374, 0.378};
    case Collective::all_to_all:
      return {1.05, 1.0, 1.698, 0.378};
    case Collective::broadcast:
    case Collective::reduce:
      return {1.00, 0, 1.374, 0.378};
    case Collective::send_recv:
      return {1.25, 0, 1.374, 0.378};
  }
  return {1, 0, 1, 1};
}

constexpr double pcie_cross = 0.814;                // PCIe: all operations alike
constexpr double switch_cross = 1.610;              // all-reduce in the switch
constexpr std::int64_t switch_ranks = 6;            // fewer ranks behave like a ring in open H100 and B200 tables
constexpr double switch_latency = 34e-6;            // latency of an all-reduce stops growing there
constexpr double peer_latency = 0.7e-6;             // all-to-all, each peer of the node
constexpr double low_latency_bytes = 110 * 1024.0;  // up to here messages use the low-latency protocols
constexpr double measured_hops = 8;                 // protocol steps were seen to add up to eight nodes

constexpr double slowest_bus = 15.75e9;     // PCIe 3.0 x16, where no link is given
constexpr double slowest_network = 1.25e9;  // 10 Gb/s Ethernet, where no network is given

struct Layout {
  double n, k, nodes;
};

double known_or(BytesPerSecond rate, double assumed) { return rate.value > 0 ? rate.value : assumed; }

/// Directly wired nodes: a group of k uses its links to k - 1 of the others.
double link_rate(const Cluster& cluster, double k) {
  const double rate = known_or(cluster.intra.bandwidth, slowest_bus);
  const double others = static_cast<double>(cluster.gpus_per_node) - 1;
  const std::string_view topology = cluster.intra_topology;
  if (topology == "xgmi-mesh" || topology == "nvlink-mesh" || topology == "ethernet-mesh") {
    return others > 0 ? rate * std::min(1.0, (k - 1) / others) : rate;
  }
  if (topology == "hybrid-cube-mesh") return rate * std::min(1.0, k / 6);  // two of six links to the next GPU
  if (topology == "nvlink-bridge" && k <= 2) return std::max(rate, cluster.gpu.nvlink.value);
  return rate;
}

double hops(Collective op, const Layout& at) {
  const auto nodes = static_cast<std::int64_t>(at.nodes);
  switch (op) {
    case Collective::all_reduce:
      return 2 * log2_of(nodes);
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return at.k > 1 ? at.nodes - 1 : log2_of(nodes);  // one GPU a node: PAT, arXiv:2506.20252
    case Collective::broadcast:
    case Collective::reduce:
      return log2_of(nodes);
    case Collective::send_recv:
      return 1;
    case Collective::all_to_all:
      return 0;  // counted for each peer
  }
  return 0;
}

double latency_inside(const Profile& p, Collective op, const Layout& at) {
  const double base = p.intra.base.value, hop = p.intra.hop.value;
  switch (op) {
    case Collective::all_reduce: {
      const double ring = base + 2 * (at.k - 1) * hop;
      return p.intra.in_switch > 0 ? std::min(ring, std::max(base, switch_latency)) : ring;
    }
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return base + (at.n - at.nodes) * hop;
    case Collective::all_to_all:
      return base + peer_latency * at.k;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_recv:
      return base;
  }
  return base;
}

double latency_between(const Profile& p, Collective op, const Layout& at, double bytes) {
  if (at.nodes <= 1) return 0;
  if (op == Collective::all_to_all) return (at.n - at.k) * p.inter.peer.value;
  const double count = hops(op, at);
  return count * p.inter.hop.value +
         std::min(count, measured_hops) * p.inter.protocol_step.value * std::min(1.0, bytes / low_latency_bytes);
}

/// Bytes over the network ceiling. A group drives the NICs of its members in a node.
double transfer_between(const Profile& p, const Cluster& cluster, Collective op, const Layout& at, double traffic,
                        double bytes) {
  if (at.nodes <= 1) return 0;
  const double nic = known_or(cluster.inter.bandwidth, slowest_network) * p.network_share;
  if (op == Collective::all_to_all) return bytes * (at.nodes - 1) / at.nodes / (nic * p.inter.all_to_all);
  const double ring = nic * p.inter.ring * (op == Collective::send_recv ? 1 : at.k);
  double ceiling = ring;
  if (op == Collective::all_reduce && at.nodes == 2) {  // a tree over two nodes sends each byte once
    double tree = p.inter.two_node_tree * ring * 2 * (at.n - 1) / at.n;
    if (p.inter.tree_link_share > 0) tree = std::min(tree, p.inter.tree_link_share * cluster.intra.bandwidth.value);
    ceiling = std::max(ring, tree);
  }
  return traffic / ceiling;
}

/// A soft maximum, (a^8 + b^8)^(1/8): the two tiers work at the same time.
double both(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  if (low == 0) return high;
  const double r = low / high, r2 = r * r, r4 = r2 * r2;
  return high * std::sqrt(std::sqrt(std::sqrt(1 + r4 * r4)));
}

}  // namespace

double log2_of(std::int64_t n) {
  double exponent = 0, power = 1;
  const auto value = static_cast<double>(n);
  while (power * 2 <= value) {
    power *= 2;
    exponent += 1;
  }
  return exponent + (value / power - 1);
}

Seconds collective_time(const Profile& profile, const Cluster& cluster, Collective op, double bytes, Route route) {
  if (route.size <= 1) return {};
  const std::int64_t in_node = std::max<std::int64_t>(1, std::min(route.per_node, route.size));
  const std::int64_t nodes = (route.size + in_node - 1) / in_node;
  const Layout at{static_cast<double>(route.size), static_cast<double>(in_node), static_cast<double>(nodes)};
  const Shape shape = shape_of(op);
  const bool pcie = profile.intra.pcie;

  const double traffic = bytes * wire_factor(op, route.size);
  double cross = nodes > 1 ? shape.cross_inter : pcie ? pcie_cross : shape.cross_intra;
  double transfer_inside = 0;
  if (in_node > 1) {
    const double k = std::max(2.0, at.k);
    const double small = pcie ? 1 : 1 - shape.small_group / (k * k);
    const double rate = link_rate(cluster, op == Collective::send_recv ? 2 : at.k);
    double ceiling = rate * profile.intra.ring * shape.ceiling * small;
    if (op == Collective::all_reduce && profile.intra.in_switch > 0 && in_node >= switch_ranks) {
      ceiling = std::max(ceiling, rate * profile.intra.in_switch);
      if (nodes == 1) cross = switch_cross;
    }
    transfer_inside = traffic / ceiling;
  }
  const double latency = latency_inside(profile, op, at) + latency_between(profile, op, at, bytes);
  const double transfer = both(transfer_inside, transfer_between(profile, cluster, op, at, traffic, bytes));
  return {latency + transfer + cross * std::sqrt(latency * transfer)};
}

}  // namespace meshgauge
