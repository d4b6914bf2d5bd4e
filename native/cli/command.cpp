// What the commands share: argument errors, refusals, output.
#include "native/cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/scenario/words.hpp"
#include "native/cli/answer.hpp"
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

/// Sorts out what CLI11 would stop at: flags that are unknown, lack their value or come twice. What is left it can
/// take.
class Sieve {
 public:
  explicit Sieve(const CLI::App& app) : app_(app) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names_.push_back("--" + name);
    }
  }

  std::vector<std::string> sift(std::span<const std::string> arguments) {
    std::vector<std::string> good;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& argument = arguments[i];
      if (argument.size() < 2 || argument[0] != '-') {
        good.push_back(argument);
        continue;
      }
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      const bool apart = equals == std::string::npos && i + 1 < arguments.size() && is_value(arguments[i + 1]);
      const CLI::Option* option = app_.get_option_no_throw(name);
      if (option == nullptr) {
        report_unknown(name);
        if (apart && !names_input(arguments[i + 1])) ++i;  // its value
      } else if (option->get_items_expected_max() == 0) {
        if (!repeats(name)) good.push_back(name);
      } else if (!apart && (equals == std::string::npos || equals + 1 == argument.size())) {
        bad.push_back({name, name + " needs a value."});
      } else if (name != "--set" && repeats(name)) {
        if (seen_.count(name) == 2) bad.push_back({name, name + " is given more than once. Keep one."});
        i += apart ? 1 : 0;
      } else {
        good.push_back(argument);
        if (apart) good.push_back(arguments[++i]);
      }
    }
    return good;
  }

  std::vector<BadArgument> bad;

 private:
  /// A flag's value: anything but a flag; "-3" is a number.
  static bool is_value(const std::string& text) {
    return text.size() < 2 || text[0] != '-' || (text[1] >= '0' && text[1] <= '9');
  }
  static bool names_input(const std::string& text) {
    std::error_code error;
    return text == "-" || text.rfind("handbook:", 0) == 0 || std::filesystem::exists(text, error);
  }
  bool repeats(const std::string& name) {
    seen_.insert(name);
    return seen_.count(name) > 1;
  }
  void report_unknown(const std::string& name) {
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    bad.push_back(
        {"", "There is no flag " + in_quotes(name) + '.' + did_you_mean(name, known) + " --help lists them."});
  }

  const CLI::App& app_;
  std::vector<std::string> names_;
  std::multiset<std::string> seen_;
};

/// Of names that the catalog has or has not.
std::string_view where_listed(const Issue& issue) {
  if (issue.message.rfind("unknown ", 0) != 0) return {};
  if (issue.path == "/model") return " `meshgauge catalog models` lists them.";
  if (issue.path == "/cluster/gpu" || issue.path == "/gpu") return " `meshgauge catalog gpus` lists them.";
  if (issue.path == "/cluster/system" || issue.path == "/system") return " `meshgauge catalog systems` lists them.";
  return {};
}

}  // namespace

bool wants_json(std::span<const std::string> arguments) {
  return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
}

Issues issues_of(std::span<const BadArgument> bad) {
  Issues issues;
  for (const BadArgument& argument : bad) issues.push_back({"", argument.message});
  return issues;
}

Parsed parse_arguments(CLI::App& app, std::span<const std::string> arguments) {
  app.allow_extras();
  Sieve sieve(app);
  std::vector<std::string> good = sieve.sift(arguments);
  Parsed parsed{.go_on = true, .exit = done, .bad = std::move(sieve.bad)};
  try {
    std::reverse(good.begin(), good.end());  // CLI11 takes them from the back
    app.parse(std::move(good));
  } catch (const CLI::CallForHelp&) {
    return {.go_on = false, .exit = print(help_of(app), done), .bad = {}};
  } catch (const CLI::ParseError& error) {
    parsed.bad.push_back({"", std::string(error.what()) + '.'});
  }
  for (const std::string& extra : app.remaining()) {
    parsed.bad.push_back({"", "One argument too many: " + in_quotes(extra) + '.'});
  }
  return parsed;
}

int refuse(const Issues& issues, bool json, std::span<const FlagOfPath> flags) {
  if (json) return print(as_text(refusal(issues)) + '\n', bad_input);
  for (const Issue& issue : issues) {
    std::string message = issue.message;
    if (const std::string_view where = where_listed(issue); !where.empty()) {
      if (message.back() != '?') message += '.';
      message += where;
    }
    const auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const FlagOfPath& f) { return f.path == issue.path; });
    const std::string place = flag != flags.end() ? flag->flag : issue.path;
    const bool said = place.empty() || message.rfind(place + ' ', 0) == 0 || message.rfind(place + ':', 0) == 0;
    fmt::print(stderr, "{}\n",
               wrapped(fmt::format("meshgauge: {}{}{}", said ? "" : place, said ? "" : ": ", message), 4));
  }
  return bad_input;
}

int print(const std::string& text, int status) {
  if (write_output(text)) return status;
  fmt::print(stderr, "meshgauge: Cannot write the answer to standard output.\n");
  return machine_failed;
}

}  // namespace meshgauge::cli
