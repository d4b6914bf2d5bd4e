// What the model says of a collective on these GPUs.
#pragma once

#include <optional>

#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/cluster.hpp"
#include "native/collectives/operation.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

struct Model {
  Cluster cluster;
  Profile profile;
};

/// Of the GPU or system that the flags name, else of the device by its name; nothing for a CPU or a part that the
/// catalog does not know. Throws BadInput where a flag names what is not there.
[[nodiscard]] std::optional<Model> model_of(const Runtime&);

/// Seconds. Nothing without a model, for an operation that it does not price, or for one rank alone.
[[nodiscard]] std::optional<double> predicted(const std::optional<Model>&, Operation, const Layout&, Route);

}  // namespace meshgauge::harness
