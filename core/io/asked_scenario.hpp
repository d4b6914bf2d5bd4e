// The scenario of a request: an object, or the name of a handbook case.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/read_value.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {

struct AskedScenario {
  nlohmann::ordered_json document;  ///< as given; that of the case, if one was named
  Resolution resolution;
};

/// What stands under "scenario". Nothing, and every problem in `reading`, if it cannot be computed.
[[nodiscard]] std::optional<AskedScenario> read_asked_scenario(const nlohmann::ordered_json& request, Reading& reading);

}  // namespace meshgauge
