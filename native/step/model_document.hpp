// The model of a step as a scenario document names it: by its catalog id, or as a config.json where it was resized.
#pragma once

#include <nlohmann/json.hpp>

#include "core/scenario/model_shape.hpp"

namespace meshgauge::step {

/// Null where no such document reads back to the same shape.
[[nodiscard]] nlohmann::ordered_json model_document(const ModelShape&);

}  // namespace meshgauge::step
