// Starting a program on every GPU: torchrun on one node, on several, and under Slurm.
#pragma once

#include <string>
#include <vector>

#include "core/launch/launch.hpp"

namespace meshgauge {

/// A program and its files, before anything starts it.
struct Program {
  std::vector<LaunchFile> files;
  std::string launcher = "torchrun";  ///< or accelerate
  std::string command;                ///< what follows the launcher's flags
  std::vector<std::string> sourced;   ///< files that the starting script reads, beside env.sh
};

/// The program with env.sh and the scripts that start it without a scheduler.
[[nodiscard]] LaunchSet with_start_scripts(const Scenario&, Program);
/// The program with env.sh and a Slurm job.
[[nodiscard]] LaunchSet with_slurm_job(const Scenario&, Program);

/// Each launcher starts as many processes on one node as on the next.
void check_nodes(const Scenario&, Findings&);

/// The program of each engine.
[[nodiscard]] Program program_of(const Scenario&);
/// Hugging Face accelerate's, for the engines that it wraps.
[[nodiscard]] Program accelerate_program(const Scenario&);

}  // namespace meshgauge
