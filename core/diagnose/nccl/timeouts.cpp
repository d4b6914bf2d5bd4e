// Collectives that PyTorch's watchdog gave up: who waited, for what, and who did not come.
#include <algorithm>

#include "core/diagnose/nccl/finding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::nccl {
namespace {

constexpr std::string_view source = "PyTorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp";

std::string call_text(const NcclTimeout& timeout) {
  std::string out = timeout.operation.empty() ? "a collective" : timeout.operation;
  if (timeout.elements >= 0)
    out += " of " + number_text(timeout.elements) + (timeout.elements == 1 ? " element" : " elements");
  return out;
}

std::string ranks_word(const std::vector<std::int64_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
}

}  // namespace

void find_timeouts(const NcclLog& log, std::vector<NcclFinding>& findings) {
  if (log.timeouts.empty()) return;
  // The first call that hangs holds up the others.
  const auto first =
      std::min_element(log.timeouts.begin(), log.timeouts.end(),
                       [](const NcclTimeout& a, const NcclTimeout& b) { return a.sequence < b.sequence; });
  std::vector<std::int64_t> waited;
  const NcclTimeout* other = nullptr;
  for (const NcclTimeout& timeout : log.timeouts) {
    if (timeout.rank >= 0) waited.push_back(timeout.rank);
    const bool same_place = timeout.sequence == first->sequence && timeout.rank != first->rank;
    if (same_place && timeout.operation != first->operation) other = &timeout;
  }
  std::sort(waited.begin(), waited.end());
  waited.erase(std::unique(waited.begin(), waited.end()), waited.end());

  NcclFinding finding;
  finding.severity = NcclSeverity::failure;
  finding.source = source;
  finding.line = first->line;
  finding.times = static_cast<std::int64_t>(log.timeouts.size());
  finding.evidence = "Watchdog caught collective operation timeout: " + call_text(*first);
  if (other != nullptr) {
    finding.id = "collective_mismatch";
    finding.message = "As work " + number_text(first->sequence) + " rank " + number_text(first->rank) + " calls " +
                      call_text(*first) + ", rank " + number_text(other->rank) + ' ' + call_text(*other) +
                      ": ranks do not make the same calls, unless these are different groups.";
    finding.settings.push_back(
        {"TORCH_DISTRIBUTED_DEBUG", "DETAIL", "stops at the first call that differs, and names it"});
  } else {
    finding.id = "collective_timeout";
    finding.message = (waited.empty() ? "Ranks" : ranks_word(waited)) + " waited " +
                      number_text(first->milliseconds / 1000) + " s for " + call_text(*first) + " (work " +
                      number_text(first->sequence) + "): another rank did not come, or the network stopped.";
    if (!finding.message.empty()) finding.message[0] = finding.message[0] == 'r' ? 'R' : finding.message[0];
    const NcclGroup* const group = largest_group(log);
    std::vector<std::int64_t> silent;
    for (std::int64_t rank = 0; group != nullptr && rank < group->ranks && !waited.empty(); ++rank) {
      if (!std::binary_search(waited.begin(), waited.end(), rank)) silent.push_back(rank);
    }
    if (!silent.empty())
      finding.message += " Nothing of the kind is said by " + ranks_word(silent) + ": look there first.";
  }
  finding.settings.push_back({"TORCH_NCCL_TRACE_BUFFER_SIZE", "2000", "keeps the last calls of each rank"});
  finding.settings.push_back({"TORCH_NCCL_DUMP_ON_TIMEOUT", "1", "writes them when it happens: the flight recorder"});
  finding.checks.push_back({"py-spy dump --pid PID", "of a rank that did not come: what it does instead"});
  findings.push_back(std::move(finding));
}

}  // namespace meshgauge::nccl
