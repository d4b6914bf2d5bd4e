// Who is missing, and who sits where.
#include <algorithm>
#include <map>

#include "core/diagnose/nccl/finding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::nccl {
namespace {

NcclFinding finding_of(std::string id, NcclSeverity severity, std::string message, std::int64_t line) {
  NcclFinding finding;
  finding.id = std::move(id);
  finding.severity = severity;
  finding.message = std::move(message);
  finding.line = line;
  return finding;
}

/// Ranks 0 to `ranks` - 1 that are not among the sorted `present`.
std::vector<std::int64_t> missing_from(const std::vector<std::int64_t>& present, std::int64_t ranks) {
  std::vector<std::int64_t> missing;
  auto at = present.begin();
  for (std::int64_t rank = 0; rank < ranks && rank < (std::int64_t{1} << 20U); ++rank) {
    if (at != present.end() && *at == rank) {
      ++at;
    } else {
      missing.push_back(rank);
    }
  }
  return missing;
}

/// A communicator whose ranks began and did not all get through.
void find_unfinished(const NcclLog& log, std::vector<NcclFinding>& findings) {
  for (const NcclGroup& group : log.groups) {
    if (group.id.empty()) continue;  // older versions print no start
    std::vector<std::int64_t> waiting, present;
    for (const NcclRank& rank : group.members) {
      present.push_back(rank.rank);
      if (!rank.complete) waiting.push_back(rank.rank);
    }
    if (waiting.empty()) continue;
    std::string message = "The communicator of " + number_text(group.ranks) +
                          " ranks was not completed: " + (waiting.size() == 1 ? "rank " : "ranks ") +
                          ranges_text(waiting) + " waited.";
    const std::vector<std::int64_t> missing = missing_from(present, group.ranks);
    if (!missing.empty() && present.size() > 1) {
      message += std::string(" The log shows nothing of ") + (missing.size() == 1 ? "rank " : "ranks ") +
                 ranges_text(missing) + ": look there first.";
    }
    NcclFinding finding = finding_of("init_incomplete", NcclSeverity::failure, std::move(message), group.line);
    finding.evidence = "Init START without Init COMPLETE";
    finding.times = static_cast<std::int64_t>(waiting.size());
    finding.checks.push_back(
        {"py-spy dump --pid PID", "of a rank that waits, and of one that is missing: where each is"});
    finding.source = "NVIDIA/nccl src/init.cc";
    findings.push_back(std::move(finding));
    return;
  }
}

/// Programs that do not know of each other: nccl-tests built without MPI, a launcher that sets no ranks.
void find_single_ranks(const NcclLog& log, std::vector<NcclFinding>& findings) {
  const NcclGroup* const largest = largest_group(log);
  if (largest == nullptr || largest->ranks != 1 || log.groups.size() < 2) return;
  NcclFinding finding = finding_of("single_ranks", NcclSeverity::failure,
                                   "Each program formed a communicator of its own, with 1 rank: nothing is "
                                   "communicated.",
                                   largest->line);
  finding.evidence = "nranks 1";
  finding.times = static_cast<std::int64_t>(log.groups.size());
  finding.checks.push_back({"make MPI=1 MPI_HOME=...", "builds nccl-tests so that mpirun's processes form one group"});
  finding.source = "NVIDIA/nccl-tests README";
  findings.push_back(std::move(finding));
}

void find_order(const NcclLog& log, const NcclGroup& group, std::vector<NcclFinding>& findings) {
  if (group.members.size() != static_cast<std::size_t>(group.ranks)) return;
  std::map<std::size_t, std::int64_t> of_host;
  std::int64_t changes = 0;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    ++of_host[group.members[i].host];
    if (i > 0 && group.members[i].host != group.members[i - 1].host) ++changes;
  }
  const auto hosts = static_cast<std::int64_t>(of_host.size());
  if (hosts > 1 && changes >= hosts) {
    NcclFinding finding =
        finding_of("rank_order", NcclSeverity::slow,
                   "Ranks do not follow one another on a node (rank 0 on " + log.hosts[group.members[0].host].name +
                       ", rank 1 on " + log.hosts[group.members[1].host].name +
                       "): groups of consecutive ranks, as tensor parallelism takes them, cross the network.",
                   group.line);
    finding.checks.push_back({"mpirun --map-by ppr:8:node",
                              "fills a node before the next; srun "
                              "--distribution=block, torchrun does it by itself"});
    finding.source = "NVIDIA/Megatron-LM megatron/core/parallel_state.py";
    findings.push_back(std::move(finding));
  }
  const auto [least, most] = std::minmax_element(of_host.begin(), of_host.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  if (hosts > 1 && least->second != most->second) {
    findings.push_back(finding_of("unequal_nodes", NcclSeverity::note,
                                  "Nodes hold " + number_text(least->second) + " to " + number_text(most->second) +
                                      " ranks: the smallest share of adapters decides.",
                                  group.line));
  }
}

/// A ring needs to leave and enter each node once.
void find_crossings(const NcclLog& log, const NcclGroup& group, std::vector<NcclFinding>& findings) {
  std::map<std::int64_t, std::size_t> host_of;
  for (const NcclRank& rank : group.members) host_of[rank.rank] = rank.host;
  if (host_of.size() != static_cast<std::size_t>(group.ranks)) return;
  std::set<std::size_t> hosts;
  for (const auto& [rank, host] : host_of) hosts.insert(host);
  if (hosts.size() < 2) return;
  for (const NcclRing& ring : log.rings) {
    std::size_t crossings = 0;
    for (std::size_t i = 0; i < ring.order.size(); ++i) {
      const auto from = host_of.find(ring.order[i]), to = host_of.find(ring.order[(i + 1) % ring.order.size()]);
      if (from != host_of.end() && to != host_of.end() && from->second != to->second) ++crossings;
    }
    if (crossings <= hosts.size()) continue;
    NcclFinding finding = finding_of("ring_crossings", NcclSeverity::slow,
                                     "Ring " + number_text(ring.channel) + " crosses between nodes " +
                                         number_text(static_cast<std::int64_t>(crossings)) + " times, where " +
                                         number_text(static_cast<std::int64_t>(hosts.size())) +
                                         " would do: NCCL does not know the nodes' topology.",
                                     ring.line);
    finding.settings.push_back({"NCCL_TOPO_DUMP_FILE", "topo.xml",
                                "writes what it sees; in a VM name the provider's "
                                "file with NCCL_TOPO_FILE"});
    finding.source = "NCCL user guide, GPU troubleshooting";
    findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace

void find_ranks(const NcclLog& log, std::vector<NcclFinding>& findings) {
  find_unfinished(log, findings);
  find_single_ranks(log, findings);
  const NcclGroup* const largest = largest_group(log);
  if (largest == nullptr) return;
  find_order(log, *largest, findings);
  find_crossings(log, *largest, findings);
}

}  // namespace meshgauge::nccl
