// A resolved scenario as a document that reads back to the same scenario.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/io/layout_fields.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// `model` is written as given where it is an object: the keys of a config.json say more than a shape holds.
[[nodiscard]] nlohmann::ordered_json write_scenario(const Scenario&, const nlohmann::ordered_json& model);

/// As few of the fields of a layout as tell it from one where none of them is set. read_layout() reads them.
[[nodiscard]] nlohmann::ordered_json write_layout(const Scenario&, const LayoutFields&);

}  // namespace meshgauge
