// What the model says of a collective on these GPUs.
#pragma once

#include <optional>

#include "core/price/route.hpp"
#include "native/collectives/operation.hpp"
#include "native/harness/model.hpp"

namespace meshgauge::harness {

/// Seconds. Nothing without a model, for an operation that it does not price, or for one rank alone.
[[nodiscard]] std::optional<double> predicted(const std::optional<Model>&, Operation, const Layout&, Route);

}  // namespace meshgauge::harness
