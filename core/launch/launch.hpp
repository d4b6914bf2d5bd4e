// What starts a scenario: files and commands for one target, and what the target cannot do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"
#include "core/resolve/findings.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

struct LaunchFile {
  std::string path;  ///< relative to the folder that holds the set
  std::string text;
  bool executable = false;
};

struct LaunchCommand {
  std::string_view where;  ///< on which machines it is typed
  std::string text;
};

struct LaunchSet {
  std::vector<LaunchFile> files;
  std::vector<LaunchCommand> commands;
  Issues warnings;
};

/// One way to start a job. A new one is one file that fills this in, and its line in targets.cpp.
struct Target {
  std::string_view name;  ///< of --for
  std::string_view summary;
  std::string_view version;         ///< of the software whose names the files use
  std::span<const Engine> engines;  ///< that it can start; the first is taken where a scenario names none
  /// Fields of parallelism and training that its files say; whatever else is asked for gets a warning.
  std::span<const std::string_view> carries;
  void (*check)(const Scenario&, Findings&);  ///< values that it cannot do
  LaunchSet (*emit)(const Scenario&);         ///< of a scenario that passed the check
};

[[nodiscard]] std::span<const Target* const> launch_targets();
/// The target that starts an engine by itself, which Slurm's job file then does; nullptr if none does.
[[nodiscard]] const Target* target_of(Engine);

}  // namespace meshgauge
