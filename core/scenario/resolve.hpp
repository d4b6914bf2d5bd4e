// From what was asked to what is computed: defaults filled in, every rule checked.
#pragma once

#include "core/issue.hpp"
#include "core/scenario/request.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

struct Resolution {
  Scenario scenario;
  Issues warnings;  ///< legal, but worth a word
};

/// The scenario with every field filled in, or everything that is wrong with it.
[[nodiscard]] Result<Resolution> resolve(const ScenarioRequest&);

}  // namespace meshgauge
