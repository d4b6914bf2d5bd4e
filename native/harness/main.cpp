// meshgauge-bench: what collectives, kernels and training steps take on these nodes, beside what the model says.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

#include "core/scenario/words.hpp"
#include "native/collectives/commands.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/launch.hpp"
#include "native/harness/preflight.hpp"
#include "native/kernels/commands.hpp"
#include "native/suite/command.hpp"
#ifdef MESHGAUGE_STEP
#include "native/step/commands.hpp"
#endif

namespace {

using meshgauge::harness::Command;
using meshgauge::harness::run_collective;

constexpr auto commands = std::to_array<Command>({
    {"all_reduce", "every rank gets the sum of all", run_collective},
    {"all_gather", "every rank gets the parts of all", run_collective},
    {"reduce_scatter", "every rank gets its part of the sum", run_collective},
    {"broadcast", "every rank gets what one has", run_collective},
    {"reduce", "one rank gets the sum of all", run_collective},
    {"alltoall", "every rank gives every other a part", run_collective},
    {"alltoallv", "the same with parts of unequal size", run_collective},
    {"sendrecv", "every rank sends to the next", run_collective},
    {"gather", "one rank gets the parts of all", run_collective},
    {"scatter", "every rank gets a part of what one has", run_collective},
    {"hypercube", "all_gather by exchanges with ranks one bit away", run_collective},
#ifdef MESHGAUGE_STEP
    {"attention", "causal self-attention, forward and backward: FLOP/s over shapes, or that of a model",
     meshgauge::harness::run_attention},
    {"step", "a training step: compute, communication, both, and what it holds", meshgauge::harness::run_step},
#endif
    {"preflight", "which ranks there are, on what, and over which interfaces they can talk",
     meshgauge::harness::run_preflight},
    {"gemm", "matrix products: FLOP/s over shapes and formats, or those of a model", meshgauge::harness::run_gemm},
    {"copy", "memory bandwidth: device, host and device, to the next GPU", meshgauge::harness::run_copy},
    {"suite", "all that calibration needs, in one results file", meshgauge::harness::run_suite},
});

std::string usage() {
  std::string text =
      "meshgauge-bench: what collectives, kernels and training steps take on these nodes\n\n"
      "usage: meshgauge-bench COMMAND [...]      (meshgauge-bench COMMAND --help)\n\n";
  for (const Command& command : commands) text += fmt::format("  {:<14}  {}\n", command.name, command.help);
  return text + "\nexit status: 0 done, 1 wrong results, 2 bad input, 3 the machine failed\n";
}

}  // namespace

int main(int argc, char* argv[]) {
  namespace harness = meshgauge::harness;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    fmt::print(stderr, "{}", usage());
    return harness::bad_input;
  }
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", usage());
    return harness::done;
  }
  if (name == "--version") {
    fmt::print("meshgauge-bench {}\n", MESHGAUGE_VERSION);
    return harness::done;
  }
  const auto command = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  if (command != commands.end()) {
    try {
      return command->run(name, {arguments.data() + 1, arguments.size() - 1});
    } catch (const harness::BadInput& error) {  // of flags, before ranks are joined: all say the same
      if (harness::speaks()) fmt::print(stderr, "meshgauge-bench {}: {}\n", name, error.what());
      return harness::bad_input;
    }
  }
  std::vector<std::string_view> names;
  for (const Command& c : commands) names.push_back(c.name);
  fmt::print(stderr, "There is no command {}. Commands: {}.{}\n", meshgauge::in_quotes(name),
             meshgauge::list_text(names), meshgauge::did_you_mean(name, names));
  return harness::bad_input;
}
