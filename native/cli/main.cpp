// meshgauge: does a training job fit, and how long is a step?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/fields.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/command.hpp"

namespace {

using meshgauge::cli::Command;

constexpr auto commands = std::to_array<Command>({
    {"estimate", "memory and step time of a training job", meshgauge::cli::run_estimate},
    {"plan", "the best layouts for a training job, and why", meshgauge::cli::run_plan},
    {"solve", "the longest sequence, the fewest GPUs, ... that a layout allows", meshgauge::cli::run_solve},
    {"validate", "predictions beside measured runs", meshgauge::cli::run_validate},
    {"calibrate", "measurements to a profile that makes estimates yours", meshgauge::cli::run_calibrate},
    {"check", "is a claim about a training run possible?", meshgauge::cli::run_check},
    {"diagnose", "why a job ran out of memory, or what NCCL's log says is wrong", meshgauge::cli::run_diagnose},
    {"band", "which bus bandwidth of a collective is normal, and why one is not", meshgauge::cli::run_band},
    {"import", "what logs and results measured", meshgauge::cli::run_import},
    {"launch", "scripts and configuration files that start a job", meshgauge::cli::run_launch},
    {"groups", "which ranks talk to each other, over which links", meshgauge::cli::run_groups},
    {"batch", "what the global batch is made of, and the learning rate for it", meshgauge::cli::run_batch},
    {"read_config", "configuration of another tool as a scenario", meshgauge::cli::run_read_config},
    {"catalog", "models, GPUs, systems and handbook cases", meshgauge::cli::run_catalog},
    {"describe", "every field of a scenario", meshgauge::cli::run_describe},
});

std::string usage() {
  std::string text =
      "meshgauge: does a training job fit, and how long is a step?\n\n"
      "usage: meshgauge COMMAND [...]      (meshgauge COMMAND --help)\n\n";
  for (const Command& command : commands) text += fmt::format("  {:<11}  {}\n", command.name, command.summary);
  return text +
         "  --version   version of program and formats\n\n"
         "exit status: 0 done, 1 the answer is no, 2 bad input, 3 the machine failed\n";
}

int unknown(const std::string& name, std::span<const std::string> arguments) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  const std::string message = "There is no command " + meshgauge::in_quotes(name) +
                              ". Commands: " + meshgauge::list_text(names) + '.' + meshgauge::did_you_mean(name, names);
  return meshgauge::cli::refuse({{"", message}}, meshgauge::cli::wants_json(arguments));
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    fmt::print(stderr, "{}", usage());
    return meshgauge::cli::bad_input;
  }
  const std::string& first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help")
    return meshgauge::cli::print(usage(), meshgauge::cli::done);
  if (first == "--version") {
    return meshgauge::cli::print(
        fmt::format("meshgauge {} (schema_version {})\n", MESHGAUGE_VERSION, meshgauge::schema_version),
        meshgauge::cli::done);
  }
  const auto command =
      std::find_if(std::begin(commands), std::end(commands), [&](const Command& c) { return c.name == first; });
  if (command == std::end(commands)) return unknown(first, arguments);
  return command->run({arguments.data() + 1, arguments.size() - 1});
}
