// The GPUs and the profile that predictions are for.
#pragma once

#include <optional>

#include "core/price/profile.hpp"
#include "core/scenario/cluster.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

struct Model {
  Cluster cluster;
  Profile profile;
};

/// Of the GPU or system that the flags name, else of the device by its name; nothing for a CPU without a profile of its
/// own, or for a part that the catalog does not know. Throws BadInput where a flag names what is not there.
[[nodiscard]] std::optional<Model> model_of(const Runtime&);

}  // namespace meshgauge::harness
