// A resolved scenario as a document that reads back to the same scenario.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// `model` is written as given where it is an object: the keys of a config.json say more than a shape holds.
[[nodiscard]] nlohmann::ordered_json write_scenario(const Scenario&, const nlohmann::ordered_json& model);

}  // namespace meshgauge
