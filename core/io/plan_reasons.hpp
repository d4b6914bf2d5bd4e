// Why a plan is what it is, in plain words with the figures behind them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/io/write_plan.hpp"

namespace meshgauge {

/// `plans` best first.
[[nodiscard]] nlohmann::ordered_json write_reasons(const PlanQuestion&, const std::vector<Plan>& plans, const Found&);

}  // namespace meshgauge
