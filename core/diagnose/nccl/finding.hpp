// What is wrong by a log of NCCL, what to set, and which commands to try next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/nccl/log.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

/// failure: the job stops or hangs; slow: it runs below what the machine can; note: worth knowing.
enum class NcclSeverity { failure, slow, note };
MESHGAUGE_NAMES(NcclSeverity, "failure", "slow", "note");

struct NcclSetting {
  std::string variable;
  std::string value;  ///< empty: unset it
  std::string why;

  bool operator==(const NcclSetting&) const = default;
};

struct NcclCheck {
  std::string command;
  std::string why;  ///< what its outcome tells

  bool operator==(const NcclCheck&) const = default;
};

struct NcclFinding {
  std::string id;
  NcclSeverity severity = NcclSeverity::note;
  bool consequence = false;  ///< a failure that others cause
  std::string message;
  std::string evidence;   ///< what the log says; empty where something is missing from it
  std::int64_t line = 0;  ///< that says it first; 0 likewise
  std::int64_t times = 0;
  std::vector<std::string> hosts;  ///< that say it, where they are told apart
  std::vector<NcclSetting> settings;
  std::vector<NcclCheck> checks;
  std::string source;  ///< of the advice
};

/// Everything that the log tells, causes before what follows from them, failures before what is slow.
[[nodiscard]] std::vector<NcclFinding> nccl_findings(const NcclLog&);

/// What to run next, in order: the checks of the findings, then the machine cut in halves until the fault is found.
[[nodiscard]] std::vector<NcclCheck> nccl_steps(const NcclLog&, const std::vector<NcclFinding>&);

namespace nccl {

void find_failures(const NcclLog&, std::vector<NcclFinding>&);     ///< from warnings
void find_timeouts(const NcclLog&, std::vector<NcclFinding>&);     ///< from PyTorch's watchdog
void find_environment(const NcclLog&, std::vector<NcclFinding>&);  ///< variables that stand in the way
void find_links(const NcclLog&, std::vector<NcclFinding>&);        ///< transports, GPUDirect, adapters
void find_ranks(const NcclLog&, std::vector<NcclFinding>&);        ///< who is missing, who sits where

/// Whether the ranks are on several nodes, as far as the log says it.
[[nodiscard]] bool spans_nodes(const NcclLog&);
/// The remark that holds these words; null if there is none.
[[nodiscard]] const NcclSaying* remark_with(const NcclLog&, std::string_view words);
/// Whether some rank has set the variable to the value.
[[nodiscard]] const NcclVariable* variable_set(const NcclLog&, std::string_view name, std::string_view value);
/// "0-7, 12", at most eight ranges.
[[nodiscard]] std::string ranges_text(const std::vector<std::int64_t>& sorted);

}  // namespace nccl
}  // namespace meshgauge
