// The flags that every command of meshgauge-bench has, and how a command reads its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace meshgauge::harness {

/// How many of the GPU's multiprocessors NCCL may take: as nccl-tests -x 0, 1 and 2.
enum class CtaPolicy { standard, efficiency, zero };

struct CommonOptions {
  std::string backend = "auto";  ///< auto, mpi or nccl
  int ranks = 0;                 ///< where no launcher started this: how many to start; 0: one for each local GPU
  int expect_ranks = 0;          ///< 0: any
  double timeout_seconds = 120;  ///< without progress of some rank
  std::string json;              ///< file for the results; empty: none
  bool show_hosts = false;       ///< host names in the results
  bool bind = true;              ///< CPU ranks to cores of their own, where the launcher left them free
  std::string gpu, system;       ///< of the catalog, for the prediction; empty: the device's name decides
  std::string profile;           ///< file of a fitted profile; empty: the datasheet's

  // Of NCCL, from the commands that have such flags.
  std::optional<CtaPolicy> cta_policy;
  bool registered_memory = false;  ///< buffers come from NCCL's allocator, as registration wants them
};

/// Adds --backend, --ranks, --expect-ranks, --timeout, --json, ... .
void add_common_flags(CLI::App&, CommonOptions&);

/// Reads the arguments. The status to end with, if there is nothing more to do: --help was asked for, or a flag was
/// wrong, which is then said on standard error by rank 0 alone.
[[nodiscard]] std::optional<int> read_flags(CLI::App&, std::span<const std::string> arguments);

/// What stands between separators; a text without one is one part. The views are into `text`.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text, char separator);

}  // namespace meshgauge::harness
