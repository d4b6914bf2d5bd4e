// The fields of a cluster, one entry each.
#include "core/scenario/field_slots.hpp"

namespace meshgauge {
namespace {

std::optional<Written> system(const Scenario& s) { return some(s.cluster.system); }
std::optional<Written> gpu(const Scenario& s) {
  if (!s.cluster.system.empty()) return std::nullopt;
  return some(s.cluster.gpu.id);
}
std::optional<Written> memory(const Scenario& s) { return positive(s.cluster.gpu.memory.value); }
std::optional<Written> memory_rate(const Scenario& s) { return positive(s.cluster.gpu.hbm.value); }
std::optional<Written> power(const Scenario& s) {
  return positive(s.cluster.power_cap_watts > 0 ? s.cluster.power_cap_watts : s.cluster.gpu.power_watts);
}
std::optional<Written> intra_rate(const Scenario& s) { return positive(s.cluster.intra.bandwidth.value); }
std::optional<Written> inter_rate(const Scenario& s) { return positive(s.cluster.inter.bandwidth.value); }
std::optional<Written> intra_latency(const Scenario& s) { return positive(s.cluster.intra.latency.value); }
std::optional<Written> inter_latency(const Scenario& s) { return positive(s.cluster.inter.latency.value); }
std::optional<Written> topology(const Scenario& s) { return some(s.cluster.intra_topology); }
std::optional<Written> network(const Scenario& s) { return some(s.cluster.inter_type); }
/// Written where the network blocks.
template <auto Member>
std::optional<Written> if_oversubscribed(const Scenario& s) {
  if (s.cluster.oversubscription <= 1) return std::nullopt;
  return member<&Scenario::cluster, Member>(s);
}
std::optional<Written> in_network_reduction(const Scenario& s) {
  if (!s.cluster.in_network_reduction) return std::nullopt;
  return true;
}
std::optional<Written> usd(const Scenario& s) {
  if (!s.cluster.usd_per_gpu_hour) return std::nullopt;
  return *s.cluster.usd_per_gpu_hour;
}

constexpr auto cluster_table = std::to_array<Field<ClusterRequest>>({
    {{.key = "system",
      .fallback = "none: name a system or a gpu",
      .help = "Server type of the catalog: its GPU, links and price."},
     &ClusterRequest::system,
     &system},
    {{.key = "gpu", .fallback = "the system's", .help = "GPU of the catalog, where no system is named."},
     &ClusterRequest::gpu,
     &gpu},
    {{"gpus", "GPUs", 1, limit::gpus, "gpus_per_node, or the product of the given degrees; 1 with the single engine",
      "GPUs of the whole job."},
     &ClusterRequest::gpus,
     &member<&Scenario::cluster, &Cluster::gpus>},
    {{"gpus_per_node", "GPUs", 1, limit::gpus, "the system's, else 8", "GPUs joined by the fast link of one node."},
     &ClusterRequest::gpus_per_node,
     &member<&Scenario::cluster, &Cluster::gpus_per_node>},
    {{"memory_bytes", "bytes", 1e6, limit::memory, "the GPU's",
      "Memory that a process can get on one GPU; replaces the catalog's figure."},
     &ClusterRequest::memory_bytes,
     &memory},
    {{"memory_bytes_per_second", "bytes/s", 1e6, limit::rate, "the GPU's",
      "Rate of the GPU's memory; replaces the catalog's figure."},
     &ClusterRequest::memory_bytes_per_second,
     &memory_rate},
    {{"power_watts", "W", 1, limit::watts, "the GPU's", "Power limit of one GPU: a lower one slows matrix products."},
     &ClusterRequest::power_watts,
     &power},
    {{"intra_node_bytes_per_second", "bytes/s", 1e6, limit::rate, "the system's, else the GPU's fabric",
      "Link inside a node: rate of one GPU in one direction."},
     &ClusterRequest::intra_node_bytes_per_second,
     &intra_rate},
    {{"inter_node_bytes_per_second", "bytes/s", 1e6, limit::rate, "the system's, else 25e9 (200 Gb/s)",
      "Network between nodes: rate of one GPU in one direction."},
     &ClusterRequest::inter_node_bytes_per_second,
     &inter_rate},
    {{"intra_node_latency_seconds", "seconds", 1e-9, limit::seconds, "the profile's",
      "Latency of one hop inside a node."},
     &ClusterRequest::intra_node_latency_seconds,
     &intra_latency},
    {{"inter_node_latency_seconds", "seconds", 1e-9, limit::seconds, "the profile's",
      "Latency of one hop between nodes."},
     &ClusterRequest::inter_node_latency_seconds,
     &inter_latency},
    {{.key = "intra_node_topology",
      .fallback = "the system's; nvswitch for a GPU with NVLink, else pcie-switch",
      .help = "How the GPUs of a node are joined; pcie-host-bridge: without peer-to-peer."},
     choice<&ClusterRequest::intra_node_topology>(),
     &topology},
    {{.key = "network", .fallback = "the system's, else unknown RDMA", .help = "What joins the nodes."},
     choice<&ClusterRequest::network>(),
     &network},
    {{"oversubscription", "", 1, 1000, "1",
      "Rate of the nodes of a block over that of its links to other blocks, as in 7 for 7:1."},
     &ClusterRequest::oversubscription,
     &if_oversubscribed<&Cluster::oversubscription>},
    {{"nodes_per_block", "nodes", 1, limit::gpus, "32",
      "Nodes that reach each other at full rate, where the network is oversubscribed."},
     &ClusterRequest::nodes_per_block,
     &if_oversubscribed<&Cluster::nodes_per_block>},
    {{.key = "in_network_reduction",
      .fallback = "false",
      .help = "Whether the network's switches add up all-reduces (InfiniBand SHARP with its NCCL plugin)."},
     &ClusterRequest::in_network_reduction,
     &in_network_reduction},
    {{"usd_per_gpu_hour", "USD/h", 0, limit::usd, "the system's, if its price is published",
      "Price of one GPU for one hour."},
     &ClusterRequest::usd_per_gpu_hour,
     &usd},
});

}  // namespace

std::span<const Field<ClusterRequest>> cluster_fields() { return cluster_table; }

}  // namespace meshgauge
