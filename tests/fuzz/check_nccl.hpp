// What must hold of a reading of NCCL's words whatever the bytes were.
#pragma once

#include <string_view>

#include "core/diagnose/nccl/finding.hpp"

namespace meshgauge::test {

/// True if what was read makes sense, and everything that follows from it is said.
inline bool nccl_is_sound(std::string_view text) {
  const NcclLog log = read_nccl_log(text);
  for (const NcclGroup& group : log.groups) {
    if (group.ranks < 1 || group.members.size() > static_cast<std::size_t>(group.ranks)) return false;
    for (const NcclRank& rank : group.members) {
      if (rank.rank < 0 || rank.rank >= group.ranks || rank.host >= log.hosts.size()) return false;
    }
  }
  for (const NcclPath& path : log.paths) {
    if (path.connections < 1 || path.line < 1 || path.name.empty()) return false;
  }
  const std::vector<NcclFinding> findings = nccl_findings(log);
  for (const NcclFinding& finding : findings) {
    if (finding.id.empty() || finding.message.empty() || finding.line < 0 || finding.times < 0) return false;
  }
  return !nccl_steps(log, findings).empty();
}

}  // namespace meshgauge::test
