// The catalog's GPU that a prediction is for.
#pragma once

#include <optional>

#include "core/scenario/cluster.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

/// That of --gpu or --system, else the device's by its name; nothing for a CPU or a GPU that the catalog does not know.
[[nodiscard]] std::optional<Gpu> gpu_of(const Runtime&);

}  // namespace meshgauge::harness
