// One line that NCCL or RCCL wrote with NCCL_DEBUG set, wherever in a log's line it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meshgauge {

enum class NcclLevel { version, info, warn };

struct NcclLine {
  NcclLevel level = NcclLevel::info;
  std::string_view host;     ///< empty where the prefix was cut off
  std::int64_t process = 0;  ///< its id; 0 where the prefix was cut off
  std::int64_t device = -1;  ///< CUDA device of the thread
  std::string_view where;    ///< file and line of a warning
  std::string_view text;     ///< what is said
};

/// "host:pid:tid [device] NCCL INFO text" and "... [device] file.cc:90 NCCL WARN text", behind any prefix of launchers
/// and time stamps (NVIDIA/nccl src/debug.cc), and the version that is printed without all that.
[[nodiscard]] std::optional<NcclLine> nccl_line_in(std::string_view line);

}  // namespace meshgauge
