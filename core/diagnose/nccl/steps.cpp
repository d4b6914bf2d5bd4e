// The ordered way to the fault: what the findings ask for, then halves of the machine.
#include <algorithm>

#include "core/diagnose/nccl/finding.hpp"

namespace meshgauge {
namespace {

void add(std::vector<NcclCheck>& steps, NcclCheck step) {
  const bool known =
      std::any_of(steps.begin(), steps.end(), [&](const NcclCheck& other) { return other.command == step.command; });
  if (!known) steps.push_back(std::move(step));
}

/// GPUs of a node as a shell counts them, or as the log says.
std::string gpus_of_node(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  std::int64_t most = group == nullptr ? 0 : group->ranks_per_node;
  if (group != nullptr && most == 0) {
    std::vector<std::int64_t> held(log.hosts.size(), 0);
    for (const NcclRank& rank : group->members) most = std::max(most, ++held[rank.host]);
  }
  return most == 0 ? "$(nvidia-smi -L | wc -l)" : std::to_string(most);
}

}  // namespace

std::vector<NcclCheck> nccl_steps(const NcclLog& log, const std::vector<NcclFinding>& findings) {
  std::vector<NcclCheck> steps;
  bool broken = false;
  for (const NcclFinding& finding : findings) {
    if (finding.severity == NcclSeverity::note) continue;
    broken = true;
    for (const NcclCheck& check : finding.checks) add(steps, check);
  }
  if (log.paths.empty() && log.groups.empty()) {
    add(steps, {"NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,ENV,GRAPH",
                "before the job: the log then says which links are taken"});
  }
  const std::string gpus = gpus_of_node(log);
  const std::string sizes = "all_reduce_perf -b 8 -e 1G -f 2 -g ";
  if (broken && gpus != "1") {
    add(steps,
        {sizes + gpus, "on one node alone: a fault here lies inside the node, and needs no network to be found"});
  }
  if (broken && nccl::spans_nodes(log)) {
    add(steps, {"mpirun -np 2 --map-by ppr:1:node " + sizes + '1',
                "two nodes, one GPU each: a fault here lies in one pair of adapters"});
    add(steps, {"mpirun -np 2 --map-by ppr:1:node " + sizes + gpus,
                "two whole nodes, then half of the nodes, the half that fails, and so on: the node that is left"});
  }
  add(steps, {"meshgauge band nccl-tests.log", "whether the bus bandwidth is what such machines reach"});
  return steps;
}

}  // namespace meshgauge
