// Environment variables that a cluster and an engine need, each with the reason beside it.
#pragma once

#include <string>

#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// env.sh: exports, and as comments those that only a fault calls for.
[[nodiscard]] std::string environment_script(const Scenario&);

}  // namespace meshgauge
