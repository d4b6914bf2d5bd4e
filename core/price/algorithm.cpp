// NCCL's tuner: time = latency + bytes / bandwidth for each algorithm and protocol, and the cheapest one runs.
// Constants and rules are those of NCCL 2.28.9: src/graph/tuning.cc (model), src/graph/topo.h (link rates),
// src/enqueue.cc (channels of a small call, point-to-point), src/transport/nvls.cc (channels of the switch).
// What it predicts is only used to compare: its own times are 27 to 35 % off (median of 145 series of measurements),
// so seconds come from collective_time.
#include "core/price/algorithm.hpp"

#include <algorithm>
#include <array>

namespace meshgauge {
namespace {

constexpr std::size_t algorithms = 7, protocols = 3;
using ByProtocol = std::array<double, protocols>;

// Microseconds. Rows: tree, ring, CollNet direct, CollNet chain, NVLS, NVLS tree, PAT. Columns: LL, LL128, Simple.
constexpr std::array<ByProtocol, algorithms> base_latency{
    {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {8, 8, 8}}};
constexpr std::array<ByProtocol, algorithms> nvlink_hop{
    {{.6, 1.25, 4.0}, {.6, 1.9, 3.4}, {3.7, 3.7, 3.7}, {2.8, 2.8, 2.8}, {25, 25, 25}, {25, 25, 25}, {4, 4, 4}}};
constexpr std::array<ByProtocol, algorithms> pcie_hop{
    {{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}, {3.7, 3.7, 3.7}, {2.8, 2.8, 2.8}, {0, 0, 0}, {0, 0, 0}, {4, 4, 4}}};
constexpr std::array<ByProtocol, algorithms> net_hop{
    {{5.0, 8.5, 14}, {2.7, 4.0, 14}, {31, 31, 31}, {30, 30, 30}, {18, 18, 18}, {20.9, 20.9, 20.9}, {14, 14, 14}}};

/// Caps in GB/s for one, two, and more nodes; all but `ll` of one channel.
struct Caps {
  std::array<double, 3> ll, ring_ll128, tree_ll128, tree_simple, nvls_tree;
  double nvls;  ///< efficiency
  double nvls_channels, nvls_channels_between;
  double host;  ///< us that the CPU adds to a hop
};
constexpr Caps volta{{39, 39, 20.4}, {20, 20, 20}, {20, 20, 20}, {26.5, 18.5, 10}, {0, 0, 0}, 0, 0, 0, 1};
/// LL between nodes and the host's share depend on the CPU: AMD in the usual A100 servers, Intel or Arm in the others.
constexpr Caps ampere{{87.7, 22.5, 19}, {20, 20, 20}, {20, 20, 20}, {24, 23.6, 17.8}, {0, 0, 0}, 0, 0, 0, 2};
constexpr Caps hopper{
    {141, 39, 20.4}, {36.7, 36.7, 36.7}, {36.7, 36.7, 29}, {38.7, 41.4, 36}, {0, 57.7, 45.5}, .85, 16, 16, 1};
constexpr Caps blackwell{
    {282, 39, 20.4}, {73.4, 34.6, 73.4}, {55.6, 31.67, 20}, {70, 42.8, 24}, {0, 96, 43.8}, .74, 24, 32, 1};

const Caps& caps_of(const Gpu& gpu) {
  if (gpu.before_ampere()) return volta;
  if (gpu.architecture == "Hopper") return hopper;
  if (gpu.architecture == "Blackwell" || gpu.architecture == "Blackwell Ultra") return blackwell;
  return ampere;  // compute capability 12 as well: the table goes by the number, its links are PCIe
}

/// Trees fall short of the model at middle sizes: a factor for each power of two from 64 bytes to 256 MB.
constexpr std::array<std::array<double, 23>, protocols> tree_correction{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

/// Floor of the base-2 logarithm.
std::int64_t log2_floor(std::int64_t value) {
  std::int64_t exponent = 0;
  for (; value > 1; value /= 2) ++exponent;
  return exponent;
}

/// What NCCL's search of the topology finds.
struct Graph {
  std::int64_t n, k, nodes;
  double channels;
  double inside, between;  ///< GB/s of all channels
  double tree;             ///< of a tree over two nodes, each of which sends every byte once
  bool pcie, in_switch, in_network;
  const Caps& caps;

  [[nodiscard]] std::size_t scale() const { return nodes == 1 ? 0 : nodes == 2 ? 1 : 2; }
};

/// NCCL counts 20 of NVLink 3's 25 GB/s a link (20.6 of 26.6, 40.1 of 50), 24 of PCIe 4's 31.5, 12 for each 100 Gb/s of
/// a NIC. Between nodes it finds one ring for each NIC and doubles them.
Graph graph_of(const Profile& profile, const Cluster& cluster, const Route& route) {
  constexpr double nvlink_share = 0.80, pcie_share = 0.76, nic_share = 0.96, giga_bytes = 1e9;
  constexpr double least_nic = 12.5e9;  // GB/s of 100 Gb/s: the slowest NIC of GPU servers
  const bool pcie = profile.intra.pcie;
  const auto k = static_cast<double>(route.in_node());
  const double nics = cluster.inter.bandwidth.value * k;
  const double rings = std::max(1.0, std::min(k, static_cast<double>(static_cast<std::int64_t>(nics / least_nic))));
  const double link = cluster.intra.bandwidth.value / giga_bytes;
  const double inside = (pcie ? pcie_share : nvlink_share) * link;
  const double between = nic_share * nics / giga_bytes;
  const double share = profile.inter.tree_link_share;
  const double two_node_tree = std::min(share > 0 ? share * link : inside, 2 * between);
  return {.n = route.size,
          .k = route.in_node(),
          .nodes = route.nodes(),
          .channels = route.nodes() > 1 ? 2 * rings : profile.overhead.channels,
          .inside = inside,
          .between = between,
          .tree = two_node_tree,
          .pcie = pcie,
          .in_switch = profile.intra.in_switch > 0 && route.in_node() >= switch_ranks,
          .in_network = cluster.in_network_reduction,
          .caps = caps_of(cluster.gpu)};
}

bool allowed(const Graph& g, Collective op, Algorithm a, Protocol p) {
  const bool gathers = op == Collective::all_gather || op == Collective::reduce_scatter;
  const bool simple = p == Protocol::simple;
  if (p == Protocol::ll128 && g.pcie) return false;  // needs 128-byte stores that arrive whole
  switch (a) {
    case Algorithm::ring:
      return true;
    case Algorithm::tree:
      return op == Collective::all_reduce;
    case Algorithm::nvls:
      return simple && g.in_switch && (op == Collective::all_reduce || gathers) && (g.nodes == 1 || g.in_network);
    case Algorithm::nvls_tree:
      return simple && g.in_switch && op == Collective::all_reduce && g.nodes > 1;
    case Algorithm::pat:
      return simple && gathers && g.nodes > 1 && g.k == 1;
    case Algorithm::collnet_direct:
      return simple && g.in_network && g.nodes > 1 && !g.pcie && (op == Collective::all_reduce || gathers);
    case Algorithm::collnet_chain:
      return simple && g.in_network && g.nodes > 1 && op == Collective::all_reduce;
    case Algorithm::point_to_point:
      return false;
  }
  return false;
}

double steps(const Graph& g, Collective op) {
  const auto n = static_cast<double>(g.n);
  switch (op) {
    case Collective::all_reduce:
      return 2 * (n - 1);
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return n - 1;
    default:
      return n;
  }
}

/// GB/s of the operation's size.
double bandwidth(const Graph& g, Collective op, Algorithm a, Protocol p) {
  const std::size_t scale = g.scale();
  const Caps& caps = g.caps;
  const auto n = static_cast<double>(g.n), k = static_cast<double>(g.k);
  const double ring = g.nodes == 1 ? g.inside : std::min(g.inside, g.between);
  const double tree = g.nodes == 1 ? g.inside : g.nodes == 2 ? g.tree : g.between;
  const double by_steps = n / steps(g, op);
  const double switch_channels = g.nodes == 1 ? caps.nvls_channels : caps.nvls_channels_between;
  const double in_switch = g.inside * caps.nvls * (switch_channels - 1) / std::max(1.0, switch_channels);
  switch (a) {
    case Algorithm::ring:
      if (p == Protocol::ll) return by_steps * std::min(caps.ll[scale], 0.5 * ring);
      if (p == Protocol::ll128) return by_steps * std::min(0.92 * ring, g.channels * caps.ring_ll128[scale]);
      return by_steps * ring;
    case Algorithm::tree: {
      const double bus = std::min(0.92 * tree, g.channels * caps.tree_simple[scale]);
      if (p == Protocol::ll) return 0.5 * std::min(bus / 3.8, caps.ll[scale]);
      if (p == Protocol::simple) return 0.5 * bus;
      return 0.5 * std::min(bus * (g.nodes == 1 ? 7.0 / 9 : 120.0 / 128), g.channels * caps.tree_ll128[scale]);
    }
    case Algorithm::nvls:
      return op == Collective::all_reduce ? by_steps * 2 * in_switch : in_switch * (k - 1) / k;
    case Algorithm::nvls_tree: {
      const double between = g.nodes == 2 ? 2 * g.between : g.between;
      return by_steps * std::min({2 * in_switch, between, switch_channels * caps.nvls_tree[scale]});
    }
    case Algorithm::pat:
      return 0.75 * g.between;
    case Algorithm::collnet_direct: {
      if (op != Collective::all_reduce) return k * std::min(g.inside, 0.9 * g.between) / std::max(1.0, g.channels);
      const double share = k / std::max(1.0, g.channels);
      return 0.5 * g.inside / std::max(1.0, share - (share - 1) / 2) * (caps.nvls > 0 ? 0.85 : 1);
    }
    case Algorithm::collnet_chain:
      return 0.5 * g.inside;
    case Algorithm::point_to_point:
      return 0;
  }
  return 0;
}

/// Microseconds.
double latency(const Graph& g, Collective op, Algorithm a, Protocol p, double bytes) {
  const auto row = static_cast<std::size_t>(a);
  const auto column = static_cast<std::size_t>(p);
  const double base = base_latency[row][column];
  const double inside = (g.pcie ? pcie_hop : nvlink_hop)[row][column];
  const double between = net_hop[row][column];
  const auto k = static_cast<double>(g.k), nodes = static_cast<double>(g.nodes);
  const auto levels = static_cast<double>(log2_floor(g.nodes));
  switch (a) {
    case Algorithm::ring: {
      const bool through = op == Collective::broadcast || op == Collective::reduce;
      if (through) return base + (g.nodes > 1 ? between : inside);
      const double crossings = g.nodes == 1 ? 0 : op == Collective::all_reduce ? 2 * (nodes - 1) : nodes - 1;
      const double overhead = g.nodes == 1 ? 0 : (p == Protocol::simple ? 3 : 1) * g.caps.host;
      const double time = base + (steps(g, op) - crossings) * std::max(inside, overhead) + crossings * between;
      const bool plateau = p == Protocol::simple && g.nodes > 1 && op == Collective::all_reduce &&
                           bytes / (g.channels * static_cast<double>(g.n)) >= 64;
      return plateau ? time * (&g.caps == &volta ? 1.9 : 1.4) : time;
    }
    case Algorithm::tree:
      return base + 2 * ((k - 1) * inside + levels * between);
    case Algorithm::nvls:
      return inside + (g.nodes > 1 ? between : 0);
    case Algorithm::nvls_tree:
      return inside + 2 * levels * between;
    case Algorithm::pat:
      return base + levels * between / 3.5 + 2.8 * static_cast<double>(g.n);
    case Algorithm::collnet_direct:
      return 2 * (inside + 0.4 * (k - 1)) + between;
    case Algorithm::collnet_chain:
      return 2 * (k - 1) * inside + between;
    case Algorithm::point_to_point:
      return 0;
  }
  return 0;
}

double microseconds(const Graph& g, Collective op, Algorithm a, Protocol p, double bytes) {
  double rate = bandwidth(g, op, a, p);
  if (a == Algorithm::tree) {
    const auto size = static_cast<std::size_t>(log2_floor(static_cast<std::int64_t>(bytes / 64)));
    const auto& factors = tree_correction[static_cast<std::size_t>(p)];
    if (size < factors.size()) rate *= factors[size];
  }
  return latency(g, op, a, p, bytes) + bytes / (1000 * rate);
}

/// A call gives up channels until each of its threads has enough to do.
std::int64_t channels_used(const Graph& g, Algorithm a, Protocol p, double bytes) {
  const bool in_switch = a == Algorithm::nvls || a == Algorithm::nvls_tree;
  double channels = in_switch ? (g.nodes == 1 ? g.caps.nvls_channels : g.caps.nvls_channels_between) : g.channels;
  const double threads = p == Protocol::ll128 ? 640 : 512;
  double threshold = p == Protocol::simple ? 64 : 8;
  if (a == Algorithm::ring && p == Protocol::ll) threshold *= static_cast<double>(g.n);
  while (channels > 1 && bytes < channels * threads * threshold) channels -= 1;
  return static_cast<std::int64_t>(channels);
}

/// Sends of each peer: LL up to 16 KiB, else chunks of 128 KiB over network and PCIe, of 512 KiB over NVLink.
Choice sends(const Graph& g, Collective op, double bytes) {
  constexpr double largest_ll = 16384, kib = 1024;
  const double peers = op == Collective::all_to_all ? static_cast<double>(g.n) : 1;
  const double message = bytes / peers;
  const double chunk = (g.nodes > 1 || g.pcie ? 128 : 512) * kib;
  std::int64_t most = 1;  // the next power of two
  while (most < static_cast<std::int64_t>(g.channels)) most *= 2;
  const auto parts = static_cast<std::int64_t>(std::min(bytes / chunk, static_cast<double>(most)));
  const std::int64_t channels = std::clamp<std::int64_t>(parts, std::min<std::int64_t>(g.n - 1, most), most);
  return {Algorithm::point_to_point, message <= largest_ll ? Protocol::ll : Protocol::simple, channels};
}

/// Calls `visit(Algorithm, Protocol, microseconds)` for each pair that NCCL may take.
template <class Visit>
void each_allowed(const Graph& g, Collective op, double bytes, Visit visit) {
  for (std::size_t a = 0; a < algorithms; ++a) {
    for (std::size_t p = 0; p < protocols; ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if (allowed(g, op, algorithm, protocol)) {
        visit(algorithm, protocol, microseconds(g, op, algorithm, protocol, bytes));
      }
    }
  }
}

bool chooses(const Cluster& cluster, const Route& route) { return route.size > 1 && cluster.gpu.vendor == "NVIDIA"; }
bool is_sends(Collective op) { return op == Collective::all_to_all || op == Collective::send_recv; }

}  // namespace

std::optional<Choice> choose_algorithm(const Profile& profile, const Cluster& cluster, Collective op, double bytes,
                                       Route route) {
  if (!chooses(cluster, route)) return std::nullopt;
  const Graph g = graph_of(profile, cluster, route);
  if (is_sends(op)) return sends(g, op, bytes);
  Choice best;
  double least = 0;
  each_allowed(g, op, bytes, [&](Algorithm algorithm, Protocol protocol, double time) {
    if (least > 0 && time >= least) return;
    least = time;
    best.algorithm = algorithm;
    best.protocol = protocol;
  });
  best.channels = channels_used(g, best.algorithm, best.protocol, bytes);
  return best;
}

std::vector<Alternative> alternatives(const Profile& profile, const Cluster& cluster, Collective op, double bytes,
                                      Route route) {
  std::vector<Alternative> list;
  if (!chooses(cluster, route) || is_sends(op)) return list;
  const Graph g = graph_of(profile, cluster, route);
  double least = 0;
  each_allowed(g, op, bytes, [&](Algorithm algorithm, Protocol protocol, double time) {
    list.push_back({{algorithm, protocol, channels_used(g, algorithm, protocol, bytes)}, time});
    if (least <= 0 || time < least) least = time;
  });
  for (Alternative& one : list) one.over_choice /= least;
  return list;
}

}  // namespace meshgauge
