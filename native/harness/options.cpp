#include "native/harness/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "core/scenario/words.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/launch.hpp"

namespace meshgauge::harness {
namespace {

std::string help_of(const CLI::App& app) {
  std::string list;
  for (const CLI::Option* option : app.get_options()) {
    std::string names;
    for (const std::string& name : option->get_snames()) names += "-" + name + ", ";
    for (const std::string& name : option->get_lnames()) names += "--" + name + ", ";
    names.resize(names.size() - 2);
    if (option->get_items_expected_max() > 0) names += " X";
    list += fmt::format("  {:<28} {}\n", names, option->get_description());
  }
  return app.get_description() + "\n\nusage: " + app.get_name() + " [flags]\n\n" + list +
         "\nexit status: 0 done, 1 wrong results, 2 bad input, 3 the machine failed\n";
}

/// CLI11's words, with the nearest flag where one is unknown.
std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error)) {
    (void)extras;
    const std::vector<std::string> rest = app.remaining();
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string word = rest.empty() ? "" : rest.front();
    return "There is no flag " + in_quotes(word) + '.' + did_you_mean(word, known) + " --help lists them.";
  }
  return std::string(error.what()) + ". --help lists the flags.";
}

}  // namespace

void add_common_flags(CLI::App& app, CommonOptions& options) {
  app.add_option("--backend", options.backend, "auto (default: nccl where there is a GPU), mpi, nccl")
      ->check(CLI::IsMember({"auto", "mpi", "nccl"}));
  app.add_option("--ranks", options.ranks, "without a launcher: processes to start (default: one for each GPU, or 1)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--expect-ranks", options.expect_ranks, "refuse to measure with any other number of ranks")
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--timeout", options.timeout_seconds,
                 "seconds without progress after which lost or silent ranks are named (default 120; 0: never)")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--json", options.json, "write results and environment to this file");
  app.add_flag("--show-hosts", options.show_hosts, "host names in the results file");
  app.add_flag("!--no-bind", options.bind, "leave CPU ranks unbound where the launcher did");
  app.add_option("--gpu", options.gpu, "predict for this GPU of the catalog (default: by the device's name)");
  app.add_option("--system", options.system, "predict for this system of the catalog");
  app.add_option("--profile", options.profile, "predict with this fitted profile");
}

std::optional<int> read_flags(CLI::App& app, std::span<const std::string> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  app.set_help_flag("-h,--help", "this text");
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    if (speaks()) fmt::print("{}", help_of(app));
    return done;
  } catch (const CLI::ParseError& error) {
    if (speaks()) fmt::print(stderr, "{}: {}\n", app.get_name(), message_of(app, error));
    return bad_input;
  }
  return std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace meshgauge::harness
