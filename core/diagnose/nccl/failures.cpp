// Warnings of NCCL: which failure each of them tells.
#include <algorithm>
#include <array>

#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/advice.hpp"

namespace meshgauge::nccl {
namespace {

/// A warning that holds both words (the second may be empty) is of that kind; the first that fits is taken.
struct Sign {
  std::string_view first, second, id;
};

/// Words as NCCL 2.4 to 2.30 (src/init.cc, bootstrap.cc, misc/socket.cc, misc/ibvwrap.cc, transport/*), RCCL and
/// aws-ofi-nccl print them. Completion errors: enum ibv_wc_status of libibverbs.
constexpr auto signs = std::to_array<Sign>({
    {"Mismatched NCCL version", "", "version_mismatch"},
    {"version mismatch with remote peer", "", "version_mismatch"},
    {"Duplicate GPU detected", "", "duplicate_gpu"},
    {"are using the same GPU", "", "duplicate_gpu"},
    {"no socket interface found", "", "no_interface"},
    {"No usable listening interface", "", "no_interface"},
    {"No interface found", "", "no_interface"},
    {"No IP interface found", "", "no_interface"},
    {"no device found", "IFNAME", "no_interface"},
    {"ibv_reg_mr", "", "rdma_memory"},
    {"ibv_create_", "", "rdma_memory"},
    {"ibv_modify_qp", "", "rdma_connect"},
    {"Call to ibv_", "", "rdma_call"},
    {"Unable to open device", "", "rdma_call"},
    {"Got completion", "error 12,", "rdma_timeout"},
    {"Got completion", "status=12 ", "rdma_timeout"},
    {"Got completion", "RETRY_EXC_ERR", "rdma_timeout"},
    {"Got completion", "error 4,", "rdma_protection"},
    {"Got completion", "status=4 ", "rdma_protection"},
    {"Got completion", "LOC_PROT_ERR", "rdma_protection"},
    {"Got completion", "error 5,", "rdma_flushed"},
    {"Got completion", "status=5 ", "rdma_flushed"},
    {"Got completion", "FLUSH_ERR", "rdma_flushed"},
    {"Got completion", "", "rdma_error"},
    {"async ", "event", "adapter_event"},
    {"GID table changed", "", "adapter_event"},
    {"mixed local", "device counts", "mixed_adapters"},
    {"ncompatible", "device", "mixed_link_layers"},
    {"essage truncated", "", "truncated"},
    {"mismatch error", "", "truncated"},
    {"incorrect receive info", "", "truncated"},
    {"failed to extend", "", "shared_memory"},
    {"No space left", "", "shared_memory"},
    {"unlink shared memory", "", "shared_memory_removed"},
    {"NVLink SHARP", "", "nvls_memory"},
    {"MNNVL", "not working", "multi_node_nvlink"},
    {"Cuda failure", "operation not permitted", "imex_channels"},
    {"Cuda failure", "out of memory", "gpu_memory"},
    {"Cuda failure", "system not yet initialized", "fabric_manager"},
    {"Cuda failure", "illegal memory access", "illegal_access"},
    {"Cuda failure", "", "cuda_failure"},
    {"P2P is disabled between NVLINK", "", "no_peer_access"},
    {"iommu=pt", "", "iommu"},
    {"NUMA auto balancing", "", "numa_balancing"},
    {"NET plugin", "", "plugin"},
    {"NET/OFI", "", "libfabric"},
    {"Too many open files", "", "open_files"},
    {"onnection closed", "", "peer_gone"},
    {"onnection reset", "", "peer_gone"},
    {"[Service thread]", "", "peer_gone"},
    {"[Proxy Service", "", "peer_gone"},
    {"onnect", "failed", "connect"},
    {"onnect", "returned", "connect"},
    {"No route to host", "", "connect"},
    {"onnection refused", "", "connect"},
    {"onnection timed out", "", "connect"},
});

std::string_view kind_of(std::string_view text) {
  const auto* const found = std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) {
    return contains(text, sign.first) && contains(text, sign.second);
  });
  return found == signs.end() ? std::string_view{} : found->id;
}

NcclFinding finding_of(const NcclLog& log, const NcclWarning& warning) {
  const std::string_view kind = kind_of(warning.text);
  NcclFinding finding;
  if (kind.empty()) {
    finding.id = "warning";
    finding.severity = NcclSeverity::failure;
    finding.consequence = true;
    finding.message = "NCCL warns, with words that are not known here.";
  } else {
    finding = advised(kind);
  }
  finding.evidence = warning.text;
  finding.line = warning.line;
  finding.times = warning.times;
  for (const std::size_t host : warning.hosts) finding.hosts.push_back(log.hosts[host].name);
  return finding;
}

}  // namespace

void find_failures(const NcclLog& log, std::vector<NcclFinding>& findings) {
  for (const NcclWarning& warning : log.warnings) {
    NcclFinding one = finding_of(log, warning);
    const auto same = std::find_if(findings.begin(), findings.end(),
                                   [&](const NcclFinding& other) { return other.id == one.id && one.id != "warning"; });
    if (same == findings.end()) {
      findings.push_back(std::move(one));
    } else {
      same->times += one.times;
      for (std::string& host : one.hosts) {
        if (std::find(same->hosts.begin(), same->hosts.end(), host) == same->hosts.end()) {
          same->hosts.push_back(std::move(host));
        }
      }
    }
  }
}

}  // namespace meshgauge::nccl
