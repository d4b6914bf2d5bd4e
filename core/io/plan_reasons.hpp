// Why a plan is what it is, in plain words with the figures behind them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/io/write_plan.hpp"

namespace meshgauge {

/// How much longer the other takes, by term.
[[nodiscard]] nlohmann::ordered_json write_difference(const Plan& best, const Plan& other);

/// `plans` best first.
[[nodiscard]] nlohmann::ordered_json write_reasons(const PlanQuestion&, const std::vector<Plan>& plans, const Found&);

}  // namespace meshgauge
