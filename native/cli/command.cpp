// What the commands share: argument errors, refusals, output.
#include "native/cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"
#include "native/cli/files.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

/// CLI11 breaks no lines.
std::string help_of(const CLI::App& app) {
  std::string usage = app.get_name() + " [flags]";
  std::string list;
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_lnames().empty();
    const bool takes_value = option->get_items_expected_max() > 0;
    if (positional) usage += " [" + option->get_name(true) + ']';
    const std::string head =
        positional ? option->get_name(true) : "--" + option->get_lnames()[0] + (takes_value ? " X" : "");
    list += fmt::format("  {:<18}{}\n", head, wrapped(option->get_description(), 20, 20));
  }
  return app.get_description() + "\n\nusage: " + usage + "\n\n" + list;
}

/// "--tp: At Most 1 required but received 2" in words that say what to do.
std::string mismatch_text(const CLI::ArgumentMismatch& error) {
  const std::string what = error.what();
  const std::string flag = what.substr(0, what.find(':'));
  return what.find("At Most") != std::string::npos ? flag + " is given more than once. Keep one."
                                                   : flag + " needs a value.";
}

}  // namespace

Parsed parse_arguments(CLI::App& app, std::span<const std::string> arguments, bool json) {
  app.allow_extras();
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the back
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return {.go_on = false, .exit = print(help_of(app), done)};
  } catch (const CLI::ArgumentMismatch& error) {
    return {.go_on = false, .exit = refuse({{"", mismatch_text(error)}}, json)};
  } catch (const CLI::ParseError& error) {
    return {.go_on = false, .exit = refuse({{"", std::string(error.what()) + '.'}}, json)};
  }
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return {.go_on = true};
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const bool flag = extras[0].size() > 1 && extras[0][0] == '-';
  return {.go_on = false,
          .exit = refuse({{"", flag ? "There is no flag " + in_quotes(extras[0]) + '.' +
                                          did_you_mean(extras[0], known) + " --help lists them."
                                    : "One argument too many: " + in_quotes(extras[0]) + '.'}},
                         json)};
}

int refuse(const Issues& issues, bool json, std::span<const FlagOfPath> flags) {
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const Issue& issue : issues) list.push_back({{"path", issue.path}, {"message", issue.message}});
    const nlohmann::ordered_json answer{{"ok", false}, {"issues", list}};
    return print(answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n', bad_input);
  }
  for (const Issue& issue : issues) {
    const auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const FlagOfPath& f) { return f.path == issue.path; });
    const std::string place = flag != flags.end() ? flag->flag : issue.path;
    fmt::print(stderr, "meshgauge: {}{}\n", place.empty() ? "" : place + ": ", issue.message);
  }
  return bad_input;
}

int print(const std::string& text, int status) {
  if (write_output(text)) return status;
  fmt::print(stderr, "meshgauge: Cannot write the answer to standard output.\n");
  return machine_failed;
}

}  // namespace meshgauge::cli
