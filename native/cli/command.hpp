// The commands of the command line, and the exit statuses they share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"

namespace CLI {
class App;
}

namespace meshgauge::cli {

/// What a script can rely on.
enum Exit { done = 0, answer_is_no = 1, bad_input = 2, machine_failed = 3 };

struct Command {
  const char* name;
  const char* summary;
  int (*run)(std::span<const std::string> arguments);
};

int run_estimate(std::span<const std::string> arguments);
int run_catalog(std::span<const std::string> arguments);
int run_describe(std::span<const std::string> arguments);

/// What stopped the parser: nothing (go on), help that was asked for, or a flag that is not known.
struct Parsed {
  bool go_on = false;
  int exit = done;
};
[[nodiscard]] Parsed parse_arguments(CLI::App&, std::span<const std::string> arguments, bool json);

/// Where a problem is said to be: the flag that set a field, else its JSON pointer.
struct FlagOfPath {
  std::string path;
  std::string flag;
};

/// Prints the problems, one a line on standard error; for machines as an answer on standard output. Returns bad_input.
int refuse(const Issues&, bool json, std::span<const FlagOfPath> flags = {});

/// Prints an answer as it is, with a line break. Returns `status`, or machine_failed.
int print(const std::string& text, int status);

}  // namespace meshgauge::cli
