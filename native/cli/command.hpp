// The commands of the command line, and the exit statuses they share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
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
int run_plan(std::span<const std::string> arguments);
int run_solve(std::span<const std::string> arguments);
int run_validate(std::span<const std::string> arguments);
int run_calibrate(std::span<const std::string> arguments);
int run_band(std::span<const std::string> arguments);
int run_check(std::span<const std::string> arguments);
int run_diagnose(std::span<const std::string> arguments);
int run_import(std::span<const std::string> arguments);
int run_launch(std::span<const std::string> arguments);
int run_groups(std::span<const std::string> arguments);
int run_batch(std::span<const std::string> arguments);
int run_read_config(std::span<const std::string> arguments);
int run_catalog(std::span<const std::string> arguments);
int run_describe(std::span<const std::string> arguments);

/// A flag that cannot be taken as it stands; `flag` is empty if it is none.
struct BadArgument {
  std::string flag;
  std::string message;
};

/// What there is to do after parsing: the command (go on), though arguments may be bad, or nothing more than `exit`.
struct Parsed {
  bool go_on = false;
  int exit = done;
  std::vector<BadArgument> bad;
};
[[nodiscard]] Parsed parse_arguments(CLI::App&, std::span<const std::string> arguments);
[[nodiscard]] bool wants_json(std::span<const std::string> arguments);
/// Problems of arguments without a place in a document.
[[nodiscard]] Issues issues_of(std::span<const BadArgument>);

/// Where a problem is said to be: the flag that set a field, else its JSON pointer.
struct FlagOfPath {
  std::string path;
  std::string flag;
};

/// Prints the problems on standard error, each on a line of its own and on further, indented ones from 80 columns on;
/// for machines as an answer on standard output. Returns bad_input.
int refuse(const Issues&, bool json, std::span<const FlagOfPath> flags = {});

/// Prints an answer as it is, with a line break. Returns `status`, or machine_failed.
int print(const std::string& text, int status);

}  // namespace meshgauge::cli
