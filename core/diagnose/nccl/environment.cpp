// Variables that stand in the way (NCCL user guide, env.rst of 2.30).
#include <algorithm>
#include <array>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/finding.hpp"

namespace meshgauge::nccl {
namespace {

constexpr std::string_view source = "NCCL user guide, environment variables";

/// A variable with that value (empty: any) does what the message says.
struct Hindrance {
  std::string_view name, value;
  NcclSeverity severity;
  std::string_view message;
};

constexpr NcclSeverity slow = NcclSeverity::slow, note = NcclSeverity::note;
constexpr std::string_view no_rdma = "keeps NCCL from RDMA: nodes talk over TCP.";
constexpr std::string_view host_memory = "sends what GPUs of a node exchange through host memory, not NVLink or PCIe.";
constexpr std::string_view no_gpu_direct = "sends all network traffic through host memory.";
constexpr std::string_view removed = "has no effect: NCCL dropped it in 2.5 or before.";
constexpr std::string_view by_hand = "replaces what NCCL would choose for each size and collective.";

constexpr auto hindrances = std::to_array<Hindrance>({
    {"NCCL_IB_DISABLE", "1", slow, no_rdma},
    {"NCCL_NET", "Socket", slow, no_rdma},
    {"NCCL_P2P_DISABLE", "1", slow, host_memory},
    {"NCCL_P2P_LEVEL", "LOC", slow, host_memory},
    {"NCCL_P2P_LEVEL", "0", slow, host_memory},
    {"NCCL_SHM_DISABLE", "1", slow, "makes GPUs of a node without direct access talk over the network."},
    {"NCCL_NET_GDR_LEVEL", "LOC", slow, no_gpu_direct},
    {"NCCL_NET_GDR_LEVEL", "0", slow, no_gpu_direct},
    {"NCCL_IB_CUDA_SUPPORT", "0", slow, no_gpu_direct},
    {"NCCL_MAX_NCHANNELS", "1", slow, "leaves one channel: a fraction of NVLink and of several adapters."},
    {"NCCL_MAX_CTAS", "1", slow, "leaves one channel: a fraction of NVLink and of several adapters."},
    {"NCCL_PXN_DISABLE", "1", note, "keeps all-to-all from taking the adapter on the right rail."},
    {"NCCL_NVLS_ENABLE", "0", note, "keeps all-reduce inside a node from being added up in the NVSwitches."},
    {"NCCL_ALGO", "", note, by_hand},
    {"NCCL_PROTO", "", note, by_hand},
    {"NCCL_NTHREADS", "", note, by_hand},
    {"NCCL_BUFFSIZE", "", note, by_hand},
    {"NCCL_TREE_THRESHOLD", "", note, removed},
    {"NCCL_LL_THRESHOLD", "", note, removed},
    {"NCCL_SINGLE_RING_THRESHOLD", "", note, removed},
    {"NCCL_LAUNCH_MODE", "GROUP", note, "was meant for old drivers, and makes launches slower."},
});

/// Names and addresses that rightly differ between nodes or runs.
constexpr auto own_of_each =
    std::to_array<std::string_view>({"NCCL_HOSTID", "NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_COMM_ID",
                                     "NCCL_TOPO_FILE", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG"});

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

NcclFinding found_in(const NcclVariable& variable) {
  NcclFinding finding;
  finding.id = "environment";
  finding.source = source;
  finding.evidence = variable.name + '=' + variable.value;
  finding.line = variable.line;
  finding.times = variable.times;
  return finding;
}

void find_differences(const NcclLog& log, std::vector<NcclFinding>& findings) {
  for (auto variable = log.variables.begin(); variable != log.variables.end(); ++variable) {
    const auto other = std::find_if(log.variables.begin(), variable,
                                    [&](const NcclVariable& one) { return one.name == variable->name; });
    const bool own = std::find(own_of_each.begin(), own_of_each.end(), variable->name) != own_of_each.end();
    if (other == variable || own) continue;
    NcclFinding finding = found_in(*variable);
    finding.id = "unequal_environment";
    finding.severity = slow;
    finding.message = variable->name + " is " + other->value + " on some ranks and " + variable->value +
                      " on others, unless the log holds several runs: ranks may choose different algorithms and hang.";
    finding.checks.push_back({"env | grep NCCL", "has to be the same on every node"});
    findings.push_back(std::move(finding));
  }
}

/// A list without = takes names by their beginning: mlx5_1 is mlx5_10 too.
void find_prefixes(const NcclLog& log, const NcclVariable& variable, std::vector<NcclFinding>& findings) {
  std::string_view list = variable.value;
  if (list.empty() || list.front() == '=' || list.front() == '^') return;
  for (std::size_t comma = 0; !list.empty(); list.remove_prefix(comma == list.npos ? list.size() : comma + 1)) {
    comma = list.find(',');
    const std::string_view word = list.substr(0, std::min(comma, list.find(':')));
    for (const NcclHost& host : log.hosts) {
      for (const std::string& adapter : host.adapters) {
        const std::string_view name = std::string_view(adapter).substr(0, adapter.find(':'));
        const bool longer = word.size() > 0 && is_digit(word.back()) && starts_with(name, word) && name != word;
        if (!longer) continue;
        NcclFinding finding = found_in(variable);
        finding.severity = slow;
        finding.message = "NCCL_IB_HCA takes names by their beginning: " + std::string(word) + " is " +
                          std::string(name) + " as well.";
        finding.settings.push_back({"NCCL_IB_HCA", '=' + variable.value, "only these exact names"});
        findings.push_back(std::move(finding));
        return;
      }
    }
  }
}

}  // namespace

void find_environment(const NcclLog& log, std::vector<NcclFinding>& findings) {
  for (const NcclVariable& variable : log.variables) {
    if (variable.name == "NCCL_IB_HCA") find_prefixes(log, variable, findings);
    for (const Hindrance& one : hindrances) {
      if (variable.name != one.name || !(one.value.empty() || same_word(one.value, variable.value))) continue;
      NcclFinding finding = found_in(variable);
      finding.severity = one.severity;
      finding.message = variable.name + '=' + variable.value + ' ' + std::string(one.message);
      finding.settings.push_back({variable.name, "", "unless it is there on purpose"});
      findings.push_back(std::move(finding));
    }
  }
  find_differences(log, findings);
}

}  // namespace meshgauge::nccl
