// t = A + X + what pipelining loses between them: latency A, bytes over the bus ceiling X. Fitted by us on 145 series
// of nccl-tests and other tables (35 systems, V100 to GB300) as (A^q + X^q)^(1/q), q between .53 and .80; q = 1/2 is a
// chunked pipeline at its best chunk size. The loss is written here as c sqrt(AX) (4AX / (A + X)^2)^p, which is that
// within 1 % and needs no power function: c = 2^(1/q) - 2, p about .6 (q - 1/2).
#include "core/price/collective.hpp"

#include <algorithm>
#include <cmath>

namespace meshgauge {
namespace {

/// c, and p in thirty-seconds.
struct Loss {
  double cross;
  int decay;
};

/// How an operation departs from the ring.
struct Shape {
  double ceiling;      ///< its ceiling over the ring's
  double small_group;  ///< loss of small groups: 1 - this / k^2, as ranks also copy their own part
  Loss inside, between;
};

Shape shape_of(Collective op) {
  switch (op) {
    case Collective::all_reduce:
      return {1.03, 0.42, {1.115, 2}, {0.619, 4}};  // q .61 and .72
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return {1.00, 1.1, {1.374, 1}, {0.378, 5}};  // q .57 and .80
    case Collective::all_to_all:
      return {1.05, 1.0, {1.698, 1}, {0.378, 5}};  // q .53 and .80
    case Collective::broadcast:
    case Collective::reduce:
      return {1.00, 0, {1.374, 1}, {0.378, 5}};
    case Collective::send_recv:
      return {1.25, 0, {1.374, 1}, {0.378, 5}};
  }
  return {};
}

constexpr Loss pcie_loss{0.814, 3};                 // PCIe: all operations alike, q .67
constexpr Loss switch_loss{1.610, 1};               // all-reduce in the switch, q .54
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
  switch (op) {
    case Collective::all_reduce:
      return 2 * log2_of(at.nodes);
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return at.k > 1 ? at.nodes - 1 : log2_of(at.nodes);  // one GPU a node: PAT, arXiv:2506.20252
    case Collective::broadcast:
    case Collective::reduce:
      return log2_of(at.nodes);
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

double nic_rate(const Profile& p, const Cluster& cluster) {
  return known_or(cluster.inter.bandwidth, slowest_network) * p.network_share;
}

/// Bytes over the network ceiling. A group drives the NICs of its members in a node.
double transfer_between(const Profile& p, const Cluster& cluster, Collective op, const Layout& at, double traffic,
                        double bytes) {
  if (at.nodes <= 1) return 0;
  const double nic = nic_rate(p, cluster);
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

/// Bytes over the oversubscribed links between blocks of the network, of which each GPU has its part. Rings run
/// through the members of a block before they leave it, so that the groups of a block send one message in so many over
/// its links; of an all-to-all everything goes there that is meant for another block.
double transfer_between_blocks(const Profile& p, const Cluster& cluster, Collective op, const Route& route,
                               const Layout& at, double traffic, double bytes) {
  if (!route.spans_blocks() || cluster.oversubscription <= 1) return 0;
  const auto members = static_cast<double>(route.per_block);
  const double link = nic_rate(p, cluster) / cluster.oversubscription;
  if (op == Collective::all_to_all) return bytes * (1 - members / at.n) / (link * p.inter.all_to_all);
  const double ring = link * p.inter.ring * std::max(1.0, members);
  return traffic / (op == Collective::send_recv ? link * p.inter.ring : ring);
}

double lost(const Loss& loss, double a, double x) {
  const double product = a * x, sum = a + x;
  double root = 4 * product / (sum * sum), factor = 1;
  for (int part = 16; part > 0; part /= 2) {  // the root of degree 32 / part
    root = std::sqrt(root);
    if (loss.decay / part % 2 == 1) factor *= root;
  }
  return loss.cross * std::sqrt(product) * factor;
}

struct Parts {
  double latency = 0;
  double inside = 0, between = 0, blocks = 0;  ///< bytes over the ceiling of each tier
  Loss loss{};
  bool in_switch = false;

  [[nodiscard]] double transfer() const { return both(both(inside, between), blocks); }
  /// The same where the network is left to this call.
  [[nodiscard]] Parts alone(double network_share) const {
    Parts parts = *this;
    parts.between *= network_share;
    parts.blocks *= network_share;
    return parts;
  }
  [[nodiscard]] double seconds() const {
    const double x = transfer(), both_parts = latency + x;
    return both_parts > 0 ? both_parts + lost(loss, latency, x) : 0;
  }
};

Parts parts_of(const Profile& profile, const Cluster& cluster, Collective op, double bytes, const Route& route) {
  Parts parts;
  if (route.size <= 1) return parts;
  const std::int64_t in_node = route.in_node();
  const Layout at{static_cast<double>(route.size), static_cast<double>(in_node), static_cast<double>(route.nodes())};
  const Shape shape = shape_of(op);
  const bool pcie = profile.intra.pcie;
  const double traffic = bytes * wire_factor(op, route.size);
  parts.loss = at.nodes > 1 ? shape.between : pcie ? pcie_loss : shape.inside;
  if (in_node > 1) {
    const double k = std::max(2.0, at.k);
    const double small = pcie ? 1 : 1 - shape.small_group / (k * k);
    const double rate = link_rate(cluster, op == Collective::send_recv ? 2 : at.k);
    const double ring = rate * profile.intra.ring * shape.ceiling * small;
    const double in_switch = rate * profile.intra.in_switch;
    parts.in_switch = op == Collective::all_reduce && in_switch > 0 && in_node >= switch_ranks;
    if (parts.in_switch && at.nodes <= 1) parts.loss = switch_loss;
    parts.inside = traffic / (parts.in_switch ? std::max(ring, in_switch) : ring);
  }
  parts.latency = latency_inside(profile, op, at) + latency_between(profile, op, at, bytes);
  parts.between = transfer_between(profile, cluster, op, at, traffic, bytes);
  parts.blocks = transfer_between_blocks(profile, cluster, op, route, at, traffic, bytes);
  return parts;
}

Bound bound_of(const Parts& parts, bool pcie) {
  if (parts.latency >= parts.transfer()) return Bound::latency;
  if (parts.blocks >= std::max(parts.inside, parts.between)) return Bound::spine;
  if (parts.between >= parts.inside) return Bound::nic;
  return pcie ? Bound::host_path : parts.in_switch ? Bound::in_switch : Bound::link;
}

}  // namespace

namespace {

/// The table stands beside times of calls that run alone: what other work adds is added as the model says.
Seconds seconds_of(const Profile& profile, const Parts& parts, Collective op, const Route& route) {
  const Seconds seconds{parts.seconds()};
  const bool measured = !profile.measured.collectives.empty() && seconds.value > 0;
  if (parts.between == 0) {
    return (measured ? corrected(profile.measured, op, route, seconds) : seconds) / profile.link_share;
  }
  if (!measured) return seconds;
  const Seconds alone{parts.alone(profile.network_share).seconds()};
  return seconds / alone * corrected(profile.measured, op, route, alone);
}

}  // namespace

CollectivePrice price_collective(const Profile& profile, const Cluster& cluster, Collective op, double bytes,
                                 Route route) {
  const Parts parts = parts_of(profile, cluster, op, bytes, route);
  return {.seconds = seconds_of(profile, parts, op, route),
          .latency = {parts.latency},
          .transfer = {parts.transfer()},
          .bound = bound_of(parts, profile.intra.pcie),
          .choice = choose_algorithm(profile, cluster, op, bytes, route)};
}

Seconds collective_time(const Profile& profile, const Cluster& cluster, Collective op, double bytes, Route route) {
  return seconds_of(profile, parts_of(profile, cluster, op, bytes, route), op, route);
}

Seconds modelled_time(const Profile& profile, const Cluster& cluster, Collective op, double bytes, Route route) {
  return {parts_of(profile, cluster, op, bytes, route).alone(profile.network_share).seconds()};
}

/// Tenth and ninetieth percentile of measured over predicted time of 35 systems, each left out of the fit.
TimeRange collective_range(Collective op, double bytes, Route route) {
  constexpr double kib = 1024, mib = 1024 * kib;
  if (!route.spans_nodes()) {
    if (bytes <= 64 * kib) return {0.75, 1.26};
    if (bytes <= mib) return {0.68, 1.50};
    return bytes <= 16 * mib ? TimeRange{0.69, 1.44} : TimeRange{0.88, 1.12};
  }
  if (op == Collective::all_to_all) return {0.5, 2.5};
  if (bytes <= 64 * kib) return {0.58, 2.08};
  if (bytes <= mib) return {0.59, 1.37};
  return bytes <= 16 * mib ? TimeRange{0.78, 1.50} : TimeRange{0.90, 1.41};
}

TimeRange collective_range(const Profile& profile, Collective op, double bytes, Route route) {
  const CollectiveCurve* curve = curve_of(profile.measured, op, route);
  if (curve == nullptr || curve->points.empty() || bytes <= 0) return collective_range(op, bytes, route);
  constexpr double least = 0.03, for_each_octave = 0.1;  // run to run; beyond eight times the largest: 29 % (p90)
  const double below = log2_of(curve->points.front().bytes) - log2_of(bytes);
  const double above = log2_of(bytes) - log2_of(curve->points.back().bytes);
  const double half = std::max(least, curve->spread) + for_each_octave * std::max({0.0, below, above});
  return {1 / (1 + half), 1 + half};
}

}  // namespace meshgauge
