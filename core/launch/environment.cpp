// Environment variables that a cluster and an engine need. NCCL's are those of its user guide (env.rst, 2.30), which
// says that overrides for debugging must not stay in production scripts: what is only for that is commented out.
#include "core/launch/environment.hpp"

#include <string_view>

namespace meshgauge {
namespace {

struct Lines {
  std::string text;

  void note(std::string_view why) { text += "# " + std::string(why) + '\n'; }
  void set(std::string_view variable, std::string_view why) {
    note(why);
    text += "export " + std::string(variable) + '\n';
  }
  void if_needed(std::string_view variable, std::string_view why) {
    note(why);
    text += "# export " + std::string(variable) + '\n';
  }
};

void add_network(const Cluster& cluster, Lines& lines) {
  const std::string& type = cluster.inter_type;
  lines.if_needed("NCCL_SOCKET_IFNAME=eth0",
                  "Nodes do not find each other: name the interface they share (ip -brief address).");
  if (type == "EFA") {
    lines.set("FI_PROVIDER=efa", "libfabric uses the EFA devices, not TCP (aws-ofi-nccl).");
    lines.note("NCCL finds the EFA plugin if aws-ofi-nccl's lib folder is in LD_LIBRARY_PATH.");
  } else if (type == "TCPX" || type == "TCPXO") {
    lines.note("Google's " + type +
               " plugin brings its own settings: source its nccl-env-profile.sh before this file.");
  } else if (type == "Slingshot") {
    lines.note("NCCL needs the aws-ofi-nccl plugin over libfabric's cxi provider to use Slingshot; else it takes TCP.");
    lines.set("FI_PROVIDER=cxi", "libfabric uses the Slingshot devices.");
  } else if (type == "IB" || type == "RoCE" || type == "OPA") {
    lines.if_needed("NCCL_IB_HCA=mlx5", "Storage or management adapters are taken as well: name those of the GPUs.");
  }
  if (type == "RoCE") {
    lines.if_needed("NCCL_IB_GID_INDEX=3",
                    "NCCL before 2.21, or a wrong RoCE version: the GID index of RoCE v2 (show_gids).");
    lines.if_needed("NCCL_IB_TC=106", "The switches treat one traffic class as lossless: its number.");
  }
  if (cluster.in_network_reduction) {
    lines.set("NCCL_COLLNET_ENABLE=1", "The switches add up all-reduces (SHARP plugin of NCCL).");
  }
}

}  // namespace

std::string environment_script(const Scenario& s) {
  const Training& t = s.training;
  const Parallelism& p = s.parallelism;
  Lines lines;
  lines.note(
      "Environment of the job, sourced by what starts it. Lines in comments are for a fault: take them out again.");
  lines.set("OMP_NUM_THREADS=\"${OMP_NUM_THREADS:-8}\"", "CPU threads of a process; torchrun would set 1.");
  lines.set("NCCL_DEBUG=\"${NCCL_DEBUG:-WARN}\"", "NCCL says what goes wrong; INFO also which links it takes.");
  if (t.expandable_segments) {
    lines.set("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
              "The allocator grows its segments: little is lost to gaps.");
  }
  // megatron/training/arguments.py (core 0.14): asserted for TP and CP before Blackwell.
  const bool blackwell = s.cluster.gpu.architecture.rfind("Blackwell", 0) == 0;
  if (t.engine == Engine::megatron && (p.tensor > 1 || p.context > 1) && !blackwell) {
    lines.set("CUDA_DEVICE_MAX_CONNECTIONS=1",
              "Megatron-LM asks for it with TP or CP: collectives start before the products they hide behind.");
  }
  if (t.deterministic) {
    lines.set("CUBLAS_WORKSPACE_CONFIG=:4096:8", "cuBLAS repeats its results.");
    lines.set("NCCL_ALGO=Ring", "Sums are taken in one order; Megatron-LM asks for it.");
    lines.set("NVTE_ALLOW_NONDETERMINISTIC_ALGO=0", "Transformer Engine takes deterministic kernels only.");
  }
  if (s.cluster.nodes() > 1) add_network(s.cluster, lines);
  if (s.cluster.gpus_per_node > 1) {
    lines.if_needed("NCCL_P2P_DISABLE=1",
                    "A node hangs at its first collective: if this helps, look for PCIe ACS or an IOMMU.");
  }
  return lines.text;
}

}  // namespace meshgauge
