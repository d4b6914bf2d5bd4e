// From what was asked to what is computed: defaults filled in, every rule checked.
#pragma once

#include "core/issue.hpp"
#include "core/scenario/request.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Taken for the network of a cluster that is built from a GPU alone: 200 Gb/s a GPU.
inline constexpr BytesPerSecond assumed_network{25e9};

struct Resolution {
  Scenario scenario;
  Issues warnings;  ///< legal, but worth a word
};

/// Hardware with what the request says otherwise; its values must be in their ranges.
[[nodiscard]] Cluster resolve_cluster(const ScenarioRequest&);

/// The scenario with every field filled in, or everything that is wrong with it.
[[nodiscard]] Result<Resolution> resolve(const ScenarioRequest&);

}  // namespace meshgauge
