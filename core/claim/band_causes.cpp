// Why a bus bandwidth is not normal, by its share of what is.
#include <algorithm>

#include "core/claim/band.hpp"
#include "core/price/collective.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

constexpr std::string_view read_log = "NCCL_DEBUG=INFO before the test, then meshgauge diagnose nccl.log";

/// Published logs over TCP reach 1 to 10 GB/s of bus bandwidth, whatever the adapters: 3.2 (InfiniBand, A100), 5.4
/// (Slingshot, GH200), 1.2 (all-to-all of 512 ranks), 2.0 (one GPU a node).
constexpr double most_of_tcp = 10e9;

std::string gbs(double value) { return number_text(static_cast<std::int64_t>(value / 1e9 + 0.5)) + " GB/s"; }

/// A fault that was published with such a figure.
void add_known_faults(const Cluster& cluster, const BandQuestion& question, BytesPerSecond measured,
                      std::vector<BandCause>& causes) {
  for (const PublishedCurve& curve : curves_like(cluster, question, true)) {
    const auto figure = bus_bandwidth_at(curve, question.bytes);
    if (!figure || measured.value > 1.5 * figure->value || measured.value < figure->value / 1.5) continue;
    causes.push_back({"like_a_known_fault",
                      "As low as a published log of such machines with this fault: " + curve.fault + " (" +
                          gbs(figure->value) + ").",
                      std::string(read_log), curve.source});
  }
}

void add_between_nodes(const Cluster& cluster, const BandQuestion& question, double share, BytesPerSecond measured,
                       std::vector<BandCause>& causes) {
  if (measured.value <= most_of_tcp && share < 0.5) {
    causes.push_back({"sockets", "NCCL may talk over TCP instead of RDMA: published logs then reach 1 to 10 GB/s.",
                      "NCCL_DEBUG=INFO ... | grep -E 'NET/|Using network'", "field figures of the catalog"});
  }
  const auto of_node = static_cast<double>(question.route.in_node());
  if (of_node > 1 && share < 1.5 / of_node && question.collective != Collective::all_to_all) {
    causes.push_back({"one_adapter",
                      "About one of the node's adapters is used (" + gbs(cluster.inter.bandwidth.value) + " each).",
                      "NCCL_DEBUG=INFO ... | grep 'NET/IB : Using'", ""});
  }
  causes.push_back({"no_gpu_direct", "Data may go through host memory, without GPUDirect RDMA.",
                    "NCCL_DEBUG=INFO ... | grep GDRDMA", "NVIDIA/nccl issue 1676: 180 to 10 GB/s on two nodes"});
  causes.push_back({"adapter", "One adapter, cable or rail may be slow: the slowest decides for all.",
                    "ib_write_bw -d mlx5_0 ADDRESS, for each adapter of both nodes; meshgauge import reads it", ""});
  if (question.route.nodes() == 2 && question.collective == Collective::all_reduce) {
    causes.push_back({"ring",
                      "Between two nodes a tree mixes NVLink and network: compare with the ring, 46 to 48 GB/s for "
                      "each adapter of 400 Gb/s.",
                      "NCCL_ALGO=Ring", "NVIDIA/nccl-tests#290"});
  }
}

void add_inside(const Cluster& cluster, double share, BytesPerSecond measured, std::vector<BandCause>& causes) {
  if (cluster.gpu.nvlink.value > 0 && share < 0.3 && measured.value < 1.1 * cluster.gpu.pcie.value) {
    causes.push_back({"pcie", "Not above what PCIe carries: NVLink is not used.",
                      "nvidia-smi topo -m (NV# between all GPUs); nvidia-smi nvlink -s", ""});
  }
  causes.push_back({"no_peer_access", "GPUs may exchange data through host memory: direct access off, ACS or IOMMU on.",
                    "NCCL_DEBUG=INFO ... | grep -E 'via (P2P|SHM)'", "NCCL user guide, GPU troubleshooting"});
  causes.push_back({"link", "One GPU or link may be slow: the slowest decides for all.",
                    "nvbandwidth -t device_to_device_memcpy_read_ce; meshgauge import reads it", ""});
}

}  // namespace

std::vector<BandCause> causes_of(const Profile& profile, const Cluster& cluster, const BandQuestion& question,
                                 BytesPerSecond measured) {
  std::vector<BandCause> causes;
  const std::vector<Band> bands = bands_of(profile, cluster, question);
  if (bands.empty()) return causes;
  const auto judged = [&](BandVerdict verdict) {
    return std::count_if(bands.begin(), bands.end(),
                         [&](const Band& one) { return verdict_on(one, measured) == verdict; });
  };
  const auto all = static_cast<std::ptrdiff_t>(bands.size());
  if (judged(BandVerdict::normal) == all) return causes;
  if (bands.size() == 2 && judged(BandVerdict::normal) == 1) {
    const bool ring = verdict_on(bands[1], measured) == BandVerdict::normal;
    if (ring) {
      causes.push_back({"no_nvls", "The all-reduce went round the ring: the switches did not add up (NVLS).",
                        "NCCL_DEBUG=INFO ... | grep NVLS; unset NCCL_ALGO and NCCL_NVLS_ENABLE; systemctl status "
                        "nvidia-fabricmanager",
                        "NVIDIA/nccl-tests#212"});
    }
    return causes;
  }
  if (judged(BandVerdict::low) == 0) {
    causes.push_back({"other_group",
                      "More than such links carry: the ranks, the operation or the size are others, or all "
                      "ranks share a node.",
                      "the first lines of nccl-tests: one Rank line for each GPU", ""});
    if (question.collective == Collective::all_reduce) {
      causes.push_back({"in_network", "Switches that add up (NVLS, SHARP) raise an all-reduce above its links.",
                        "NCCL_DEBUG=INFO ... | grep -E 'NVLS|COLLNET'", "NVIDIA/nccl#1374"});
    }
    return causes;
  }
  const double share = measured.value / bands.front().normal.low.value;
  add_known_faults(cluster, question, measured, causes);
  if (question.bytes < bandwidth_bytes) {
    causes.push_back({"latency",
                      "At this size the time is latency: one process for all GPUs, a busy host or slow launches "
                      "show here first.",
                      "one process for each GPU; nccl-tests -G 1 launches by CUDA graph", ""});
  }
  if (question.route.spans_nodes()) {
    add_between_nodes(cluster, question, share, measured, causes);
  } else {
    add_inside(cluster, share, measured, causes);
  }
  if (bands.front().algorithm == "nvls") {
    causes.push_back({"no_nvls", "The switches may not add up (NVLS): a ring of these GPUs reaches less.",
                      "NCCL_DEBUG=INFO ... | grep NVLS", "NVIDIA/nccl-tests#212"});
  }
  return causes;
}

}  // namespace meshgauge
