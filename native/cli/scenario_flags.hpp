// Flags that set one field of a scenario each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/issue.hpp"
#include "native/cli/command.hpp"

namespace meshgauge::cli {

/// Everything that says what is to be computed, as typed.
struct ScenarioInput {
  std::string document;  ///< file, "-" or "handbook:ID"; empty if not given
  std::string profile;
  std::vector<std::optional<std::string>> values;  ///< by flag, in the order of the table
  std::vector<std::string> sets;                   ///< /json/path=value
};

/// Adds the flags, with the help of the fields they set. `document` is what the scenario file is called.
void add_scenario_flags(CLI::App&, ScenarioInput&, const char* document = "SCENARIO");

/// A request without its command: scenario and profile. Values of flags stand in the scenario as they were typed, good
/// or bad, so that the core judges them with the rest.
struct ScenarioRequestText {
  Issues issues;
  std::vector<FlagOfPath> flags;  ///< that were given
  bool whole = true;              ///< the document was read; else the scenario holds the flags alone
};
[[nodiscard]] ScenarioRequestText fill_request(const ScenarioInput&, nlohmann::ordered_json& request);

/// The value of --model: a name, or what the file of that name holds.
[[nodiscard]] nlohmann::ordered_json model_argument(const std::string& value, ScenarioRequestText&);

/// Problems of flags at the paths of what they set.
[[nodiscard]] Issues at_paths(std::span<const BadArgument>, ScenarioRequestText&);

}  // namespace meshgauge::cli
