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

/// What is wrong with the request by itself, whatever its fields say of each other. Takes out of it what is out of range,
/// and notes in `unread` what nothing can be said of.
[[nodiscard]] Issues prepare(ScenarioRequest&);

/// Every field filled in, no rule checked. The request is a prepared one without issues.
[[nodiscard]] Scenario filled_in(const ScenarioRequest&);

/// Fills in again what follows from stages and schedule, after they were changed.
void follow_schedule(const ScenarioRequest&, Scenario&);

/// The scenario with every field filled in, or everything that is wrong with it.
[[nodiscard]] Result<Resolution> resolve(const ScenarioRequest&);

}  // namespace meshgauge
