// The commands of meshgauge-bench: one row each in main.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshgauge::harness {

/// What a script can rely on.
enum Exit { done = 0, wrong_results = 1, bad_input = 2, machine_failed = 3 };

struct Command {
  std::string_view name;
  std::string_view help;
  /// Gets its own name, so that rows can share a function, and what follows it on the command line.
  int (*run)(std::string_view name, std::span<const std::string> arguments);
};

}  // namespace meshgauge::harness
