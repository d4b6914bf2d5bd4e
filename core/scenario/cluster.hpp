// GPUs and the links between them, as priced: every rate is per GPU and per direction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/names.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// What a cluster of CPU ranks names as its GPU.
inline constexpr std::string_view cpu_id = "cpu";

/// One accelerator. Peaks are dense datasheet rates; 0 = the part has no such format.
struct Gpu {
  std::string id;
  std::string name;
  std::string vendor;
  std::string architecture;  ///< "Ampere", "Hopper", "Blackwell", ...
  std::string source;
  Bytes memory{};        ///< what a process can really get (driver total), not the sold size
  BytesPerSecond hbm{};  ///< datasheet
  FlopsPerSecond fp32{}, tf32{}, fp16{}, bf16{}, fp8{}, fp4{};
  FlopsPerSecond measured_bf16{}, measured_fp8{};  ///< largest matmul rate seen by a third party; 0 if none
  std::int64_t multiprocessors = 0;                ///< SMs or compute units; 0 if unknown
  BytesPerSecond nvlink{};                         ///< or other fabric; 0 if none
  BytesPerSecond pcie{};
  double power_watts = 0;  ///< TDP; 0 if unknown

  /// FlashAttention-2 and Transformer Engine need Ampere or later (their READMEs).
  [[nodiscard]] bool before_ampere() const {
    return architecture == "Pascal" || architecture == "Volta" || architecture == "Turing";
  }
  /// A rank on processor cores: nothing is known of it but what a profile says.
  [[nodiscard]] bool is_cpu() const { return id == cpu_id; }
  /// Compute capability 9 and later.
  [[nodiscard]] bool hopper_or_later() const {
    return architecture == "Hopper" || architecture.rfind("Blackwell", 0) == 0;
  }
};

/// A link tier seen from one GPU.
struct Link {
  BytesPerSecond bandwidth{};
  Seconds latency{};
};

/// How the GPUs of a node are joined.
enum class Topology {
  nvswitch,
  nvlink_mesh,
  nvlink_bridge,
  hybrid_cube_mesh,
  xgmi_mesh,
  ethernet_mesh,
  pcie_switch,
  pcie_host_bridge
};
MESHGAUGE_NAMES(Topology, "nvswitch", "nvlink-mesh", "nvlink-bridge", "hybrid-cube-mesh", "xgmi-mesh", "ethernet-mesh",
                "pcie-switch", "pcie-host-bridge");

/// What carries collectives between nodes.
enum class Network { ib, roce, slingshot, efa, tcpxo, tcpx, opa, ethernet };
MESHGAUGE_NAMES(Network, "IB", "RoCE", "Slingshot", "EFA", "TCPXO", "TCPX", "OPA", "Ethernet");

struct Cluster {
  std::string system;  ///< catalog id, empty if built from a GPU
  std::string name;
  Gpu gpu;
  std::int64_t gpus = 1;
  std::int64_t gpus_per_node = 8;
  std::string intra_topology;  ///< "nvswitch", "pcie-switch", "hybrid-cube-mesh", ...
  std::string inter_type;      ///< "IB", "RoCE", "EFA", "Ethernet", ...
  Link intra;
  Link inter;
  double power_cap_watts = 0;  ///< limit set below the TDP; 0: none
  /// Rate of a block's nodes over that of its links to other blocks: 7 between the pods of Meta's Llama 3 cluster
  /// (arXiv:2407.21783 section 3.3.1), 1 where the network does not block.
  double oversubscription = 1;
  std::int64_t nodes_per_block = 32;  ///< under one leaf of each rail: a scalable unit of NVIDIA's DGX SuperPOD
  bool in_network_reduction = false;  ///< SHARP switches and their NCCL plugin
  std::optional<double> usd_per_gpu_hour;
  std::string source;

  [[nodiscard]] constexpr std::int64_t gpus_per_block() const { return nodes_per_block * gpus_per_node; }
  [[nodiscard]] constexpr std::int64_t nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }
};

/// Ranks on processors, each in the place of a GPU. Its rates are round figures of no machine: 100 GFLOP/s, 10 GB/s of
/// memory, as much between ranks, 10 Gb/s between nodes. A profile has the real ones.
[[nodiscard]] inline Cluster cpu_ranks() {
  Cluster cluster;
  cluster.name = cluster.gpu.name = "CPU";
  cluster.gpu.id = cpu_id;
  cluster.gpu.vendor = cluster.gpu.architecture = "CPU";
  cluster.gpu.memory = 16 * gibibyte;
  cluster.gpu.hbm = {10e9};
  cluster.gpu.fp32 = cluster.gpu.bf16 = {100e9};
  cluster.intra.bandwidth = {10e9};
  cluster.inter.bandwidth = {1.25e9};
  cluster.inter_type = "Ethernet";
  cluster.source = "round figures; a profile has those of a machine";
  return cluster;
}

}  // namespace meshgauge
