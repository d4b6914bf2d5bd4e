// Asking the core about the scenario of the flags, and refusing with every problem at once.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "native/cli/command.hpp"
#include "native/cli/scenario_flags.hpp"

namespace meshgauge::cli {

struct ScenarioAnswer {
  std::optional<nlohmann::ordered_json> answer;  ///< nothing: it was refused, and that is printed
  std::string text;                              ///< of the answer, as the core gave it
  int status = done;                             ///< to end with if there is no answer
};

/// `request` holds the command and what is no scenario.
[[nodiscard]] ScenarioAnswer ask_about_scenario(nlohmann::ordered_json request, const ScenarioInput&, const Parsed&,
                                                bool json);

}  // namespace meshgauge::cli
