// What NCCL sends data over, and what better link it passed by.
#include <algorithm>
#include <array>

#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/advice.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::nccl {
namespace {

constexpr std::string_view guide = "NCCL user guide, GPU troubleshooting";

NcclFinding slow_one(std::string id, std::string message) {
  NcclFinding finding;
  finding.id = std::move(id);
  finding.severity = NcclSeverity::slow;
  finding.message = std::move(message);
  return finding;
}

void show(NcclFinding& finding, const NcclSaying* saying) {
  if (saying == nullptr) return;
  finding.evidence = saying->text;
  finding.line = saying->line;
  finding.times = saying->times;
}

bool is_socket(std::string_view name) { return name == "Socket" || name == "NET/Socket"; }

/// GPUDirect by the name of Google's plugins, which print no GDRDMA.
bool is_direct(const NcclPath& path) {
  return path.gpu_direct || contains(path.name, "TCPX") || contains(path.name, "FasTrak") ||
         contains(path.name, "GPUDirect");
}

bool has_adapters(const NcclLog& log) {
  return std::any_of(log.hosts.begin(), log.hosts.end(), [](const NcclHost& host) { return !host.adapters.empty(); });
}

void find_sockets(const NcclLog& log, std::vector<NcclFinding>& findings) {
  const NcclPath* used = nullptr;
  for (const NcclPath& path : log.paths) {
    if (is_socket(path.name)) used = &path;
  }
  const auto chosen = std::find_if(log.networks.begin(), log.networks.end(),
                                   [](const NcclSaying& network) { return is_socket(network.text); });
  if (used == nullptr && chosen == log.networks.end()) return;
  if (used == nullptr && largest_group(log) != nullptr && !spans_nodes(log)) return;  // no other node to talk to
  NcclFinding finding = slow_one("socket_network", "Data between nodes goes over TCP sockets.");
  if (used == nullptr && largest_group(log) == nullptr) {
    finding.severity = NcclSeverity::note;
    finding.message = "NCCL's network is TCP sockets: fine on one node alone, slow between nodes.";
  }
  finding.source = "NCCL user guide, environment variables";
  if (chosen != log.networks.end()) {
    finding.evidence = "Using network " + chosen->text;
    finding.line = chosen->line;
    finding.times = chosen->times;
  } else {
    finding.evidence = used->name;
    finding.line = used->line;
    finding.times = used->connections;
  }
  const bool forbidden =
      variable_set(log, "NCCL_IB_DISABLE", "1") != nullptr || variable_set(log, "NCCL_NET", "Socket") != nullptr;
  if (forbidden) {
    finding.message += " A variable asks for it.";
  } else if (const NcclSaying* none = remark_with(log, "No device found"); none != nullptr) {
    show(finding, none);
    finding.message += " The process sees no RDMA adapter.";
    finding.checks.push_back({"ibv_devices",
                              "inside the job or container has to list them: docker run "
                              "--device=/dev/infiniband, in Kubernetes the RDMA device plugin"});
  } else if (const NcclSaying* library = remark_with(log, "libibverbs"); library != nullptr) {
    show(finding, library);
    finding.message += " The RDMA library is missing in the image.";
    finding.checks.push_back({"ldconfig -p | grep libibverbs", "rdma-core has to be installed where the job runs"});
  } else if (const NcclSaying* plugin = remark_with(log, "No eligible providers"); plugin != nullptr) {
    show(finding, plugin);
    finding.message += " The libfabric plugin found no fabric that it can use.";
    finding.checks.push_back({"fi_info -p efa -t FI_EP_RDM",
                              "lists the adapters of AWS; cxi instead of efa on "
                              "Slingshot"});
  } else if (has_adapters(log)) {
    finding.message += " NCCL sees RDMA adapters and does not take them: a plugin is in the way.";
    finding.settings.push_back({"NCCL_NET", "IB", "fails, and says why, where RDMA is not possible"});
  } else {
    finding.message += " If the nodes have InfiniBand, RoCE, EFA or Slingshot, its library or plugin was not found.";
    finding.checks.push_back({"ibv_devices", "lists InfiniBand and RoCE adapters; fi_info those of EFA and Slingshot"});
    finding.settings.push_back({"NCCL_DEBUG_SUBSYS", "INIT,NET,ENV", "says which network was tried, and why not"});
  }
  findings.push_back(std::move(finding));
}

/// NCCL 2.22 and before look for the module by its old names only.
bool knows_old_module_only(const NcclLog& log) {
  for (const NcclSaying& version : log.versions) {
    std::string_view rest = version.text;
    (void)next_word(rest);
    for (const std::string_view old : {"2.18", "2.19", "2.20", "2.21", "2.22"}) {
      if (starts_with(trimmed(rest), old)) return true;
    }
  }
  return false;
}

void find_gpu_direct(const NcclLog& log, std::vector<NcclFinding>& findings) {
  std::int64_t with = 0, without = 0;
  const NcclPath* first = nullptr;
  for (const NcclPath& path : log.paths) {
    if (path.transport != NcclTransport::network || is_socket(path.name)) continue;
    (is_direct(path) ? with : without) += path.connections;
    if (!is_direct(path) && first == nullptr) first = &path;
  }
  if (without == 0) return;
  NcclFinding finding = slow_one(
      "no_gpu_direct", with > 0 ? number_text(without) + " of " + number_text(with + without) +
                                      " connections between nodes go through host memory, without GPUDirect RDMA."
                                : "Data between nodes goes through host memory: GPUDirect RDMA is not used.");
  finding.source = guide;
  finding.evidence = "via " + first->name;
  finding.line = first->line;
  finding.times = without;
  const NcclSaying* const disabled = remark_with(log, "GPU Direct RDMA Disabled");
  show(finding, disabled);
  const bool far = disabled != nullptr && contains(disabled->text, "distance");
  if (far) {
    finding.message += " The adapter is too far from the GPU on PCIe.";
    finding.settings.push_back({"NCCL_NET_GDR_LEVEL", "SYS", "takes it however far, if the platform allows it"});
    finding.checks.push_back({"nvidia-smi topo -m",
                              "PIX or PXB between GPU and adapter is near; PHB, NODE and SYS pass "
                              "the processor"});
  } else {
    finding.checks.push_back({"lsmod | grep nvidia_peermem",
                              "has to be loaded (sudo modprobe nvidia-peermem), or the "
                              "open driver with DMA-BUF"});
    if (disabled != nullptr && knows_old_module_only(log)) {
      finding.message += " NCCL before 2.23 does not know the module's new name, nvidia_peermem: take a later NCCL.";
      finding.source = "NVIDIA/nccl issue 1676";
    }
  }
  finding.checks.push_back({"sudo lspci -vvv | grep ACSCtl",
                            "SrcValid+ on a PCIe bridge sends data through the "
                            "processor: switch ACS off"});
  findings.push_back(std::move(finding));
}

/// Ranks of the largest group by rank; -1: not said. Empty where the log holds groups of several sizes.
std::vector<std::int64_t> host_of_rank(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  if (group == nullptr || group->members.empty()) return {};
  for (const NcclGroup& other : log.groups) {
    if (other.ranks != group->ranks) return {};
  }
  std::vector<std::int64_t> hosts(static_cast<std::size_t>(group->members.back().rank) + 1, -1);
  for (const NcclRank& rank : group->members) {
    hosts[static_cast<std::size_t>(rank.rank)] = static_cast<std::int64_t>(rank.host);
  }
  return hosts;
}

void find_detours(const NcclLog& log, std::vector<NcclFinding>& findings) {
  const std::vector<std::int64_t> hosts = host_of_rank(log);
  const auto host = [&](std::int64_t rank) {
    return rank < static_cast<std::int64_t>(hosts.size()) ? hosts[static_cast<std::size_t>(rank)] : -1;
  };
  const bool direct = std::any_of(log.paths.begin(), log.paths.end(),
                                  [](const NcclPath& path) { return path.transport == NcclTransport::p2p; });
  for (const NcclPath& path : log.paths) {
    const auto inside = std::count_if(path.between.begin(), path.between.end(), [&](const auto& pair) {
      return host(pair.first) >= 0 && host(pair.first) == host(pair.second);
    });
    if (path.transport == NcclTransport::network && inside > 0) {
      NcclFinding finding = slow_one("network_inside_node", "GPUs of one node talk over " + path.name +
                                                                ": neither direct access nor shared memory works.");
      finding.evidence = "via " + path.name + " between ranks of a node";
      finding.line = path.line;
      finding.times = inside;
      finding.source = guide;
      finding.checks.push_back({"nvidia-smi topo -p2p p", "OK for every pair; n instead of p asks for NVLink"});
      finding.checks.push_back({"df -h /dev/shm", "shared memory has to be there and large enough"});
      findings.push_back(std::move(finding));
    } else if (path.transport == NcclTransport::shared_memory) {
      NcclFinding finding = slow_one(
          "host_memory_inside_node",
          direct ? "Some GPUs of a node exchange data through host memory: usual across the processors of a PCIe "
                   "machine, a fault with NVLink."
                 : "GPUs of a node exchange data through host memory, not over NVLink or PCIe.");
      if (direct) finding.severity = NcclSeverity::note;
      finding.evidence = "via " + path.name;
      finding.line = path.line;
      finding.times = path.connections;
      finding.source = guide;
      show(finding, remark_with(log, "Could not enable P2P"));
      finding.checks.push_back({"nvidia-smi topo -p2p p",
                                "OK for every pair, n instead of p asks for NVLink; GeForce "
                                "cards have none"});
      finding.checks.push_back({"sudo lspci -vvv | grep ACSCtl", "SrcValid+ on a PCIe bridge: switch ACS off"});
      findings.push_back(std::move(finding));
    }
  }
}

void find_adapters(const NcclLog& log, std::vector<NcclFinding>& findings) {
  const NcclHost* first = nullptr;
  bool mixed = false, unequal = false;
  for (const NcclHost& host : log.hosts) {
    if (host.adapters.empty()) continue;
    const auto ends = [](std::string_view end) { return [end](std::string_view name) { return contains(name, end); }; };
    mixed = mixed || (std::any_of(host.adapters.begin(), host.adapters.end(), ends("/IB")) &&
                      std::any_of(host.adapters.begin(), host.adapters.end(), ends("/RoCE")));
    if (first == nullptr) {
      first = &host;
    } else if (host.adapters.size() != first->adapters.size()) {
      unequal = true;
    }
  }
  if (mixed) {
    NcclFinding finding = advised("mixed_link_layers");
    finding.severity = NcclSeverity::slow;
    findings.push_back(std::move(finding));
  }
  if (unequal) {
    NcclFinding finding = advised("mixed_adapters");
    finding.severity = NcclSeverity::slow;
    findings.push_back(std::move(finding));
  }
}

/// Interfaces of containers and the loopback reach no other node.
void find_interfaces(const NcclLog& log, std::vector<NcclFinding>& findings) {
  if (!spans_nodes(log)) return;
  for (const NcclHost& host : log.hosts) {
    for (const std::string& interface : host.interfaces) {
      const bool local = interface == "lo" || starts_with(interface, "docker") || starts_with(interface, "virbr") ||
                         starts_with(interface, "veth") || starts_with(interface, "cni") ||
                         starts_with(interface, "br-");
      if (!local) continue;
      NcclFinding finding = slow_one(
          "local_interface", "Ranks meet over " + interface + ", which no other node reaches: NCCL hangs or fails.");
      finding.severity = NcclSeverity::failure;
      finding.settings.push_back({"NCCL_SOCKET_IFNAME", "^lo,docker,virbr,veth", "leaves these out"});
      finding.source = "NCCL user guide, NCCL_SOCKET_IFNAME";
      findings.push_back(std::move(finding));
      return;
    }
  }
}

void find_switches(const NcclLog& log, std::vector<NcclFinding>& findings) {
  if (log.nvls_available == 0 || log.nvls_channels != 0) return;
  NcclFinding finding =
      slow_one("nvls_unused", "The NVSwitches could add up all-reduces (NVLS), and are not asked to.");
  finding.severity = NcclSeverity::note;
  finding.evidence = "NVLS multicast support is available; 0 nvls channels";
  finding.source = "NCCL user guide, NCCL_NVLS_ENABLE";
  findings.push_back(std::move(finding));
}

}  // namespace

void find_links(const NcclLog& log, std::vector<NcclFinding>& findings) {
  find_sockets(log, findings);
  find_gpu_direct(log, findings);
  find_detours(log, findings);
  find_adapters(log, findings);
  find_interfaces(log, findings);
  find_switches(log, findings);
}

}  // namespace meshgauge::nccl
