// Flags that set one field of a scenario each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
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

/// Adds the flags, with the help of the fields they set.
void add_scenario_flags(CLI::App&, ScenarioInput&);

/// A request without its command: scenario and profile. Issues of flags name the flag.
struct ScenarioRequestText {
  Issues issues;
  std::vector<FlagOfPath> flags;  ///< that were given
};
[[nodiscard]] ScenarioRequestText fill_request(const ScenarioInput&, nlohmann::ordered_json& request);

}  // namespace meshgauge::cli
