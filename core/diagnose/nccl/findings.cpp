#include <algorithm>

#include "core/calibrate/import/lines.hpp"
#include "core/diagnose/nccl/finding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace nccl {

bool spans_nodes(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  if (group != nullptr && group->nodes > 0) return group->nodes > 1;
  std::set<std::size_t> hosts;
  if (group != nullptr) {
    for (const NcclRank& rank : group->members) hosts.insert(rank.host);
  }
  if (group == nullptr && log.hosts.size() > 1) return true;
  return hosts.size() > 1 || std::any_of(log.paths.begin(), log.paths.end(),
                                         [](const NcclPath& path) { return path.transport == NcclTransport::network; });
}

const NcclSaying* remark_with(const NcclLog& log, std::string_view words) {
  const auto found = std::find_if(log.remarks.begin(), log.remarks.end(),
                                  [&](const NcclSaying& remark) { return contains(remark.text, words); });
  return found == log.remarks.end() ? nullptr : &*found;
}

const NcclVariable* variable_set(const NcclLog& log, std::string_view name, std::string_view value) {
  const auto found = std::find_if(log.variables.begin(), log.variables.end(), [&](const NcclVariable& variable) {
    return variable.name == name && variable.value == value;
  });
  return found == log.variables.end() ? nullptr : &*found;
}

std::string ranges_text(const std::vector<std::int64_t>& sorted) {
  constexpr int most_ranges = 8;
  std::string out;
  int ranges = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (++ranges > most_ranges) return out + " and more";
    if (!out.empty()) out += ", ";
    out += std::to_string(sorted[i]);
    if (end - i > 1) out += (end - i > 2 ? "-" : ", ") + std::to_string(sorted[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace nccl

std::vector<NcclFinding> nccl_findings(const NcclLog& log) {
  std::vector<NcclFinding> findings;
  nccl::find_failures(log, findings);
  nccl::find_links(log, findings);
  nccl::find_timeouts(log, findings);
  nccl::find_ranks(log, findings);
  nccl::find_environment(log, findings);
  if (!log.errors.empty() && log.warnings.empty()) {
    NcclFinding finding;
    finding.id = "unexplained";
    finding.severity = NcclSeverity::failure;
    finding.consequence = true;
    finding.message = "A program says that NCCL failed; the log holds no word of NCCL on why.";
    finding.evidence = log.errors.front().text;
    finding.line = log.errors.front().line;
    finding.times = log.errors.front().times;
    finding.settings.push_back({"NCCL_DEBUG", "INFO", "NCCL then says what it does, and what fails"});
    findings.push_back(std::move(finding));
  }
  const bool mismatch = std::any_of(findings.begin(), findings.end(),
                                    [](const NcclFinding& one) { return one.id == "version_mismatch"; });
  if (log.versions.size() > 1 && !mismatch) {
    NcclFinding finding;
    finding.id = "several_versions";
    finding.message = "The log shows " + log.versions[0].text + " and " + log.versions[1].text +
                      ": of several runs, or of nodes that do not agree.";
    finding.line = log.versions[1].line;
    finding.times = log.versions[1].times;
    finding.evidence = log.versions[1].text;
    findings.push_back(std::move(finding));
  }
  const auto order = [](const NcclFinding& finding) {
    return 2 * static_cast<int>(finding.severity) + (finding.consequence ? 1 : 0);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const NcclFinding& a, const NcclFinding& b) { return order(a) < order(b); });
  return findings;
}

}  // namespace meshgauge
