// Layouts that a search has found, as answers hold them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/io/plan_question.hpp"
#include "core/search/plan.hpp"

namespace meshgauge {

/// "TP 8, PP 16, DP 128, micro-batch 1, full recompute": what differs from a single GPU.
[[nodiscard]] std::string layout_text(const Scenario&);

/// What of the scenario the layout sets: fields by section.
[[nodiscard]] nlohmann::ordered_json write_layout(const Scenario&);

/// What the fullest GPU holds of what the search found: where sureness is asked for, it looked at smaller GPUs.
[[nodiscard]] Bytes device_of(const PlanQuestion&, const Candidate&, const Scenario&);

/// Everything of a plan, with its whole scenario.
[[nodiscard]] nlohmann::ordered_json write_plan(const PlanQuestion&, const Plan&);

/// What a shard has found, to be read back by read_found().
[[nodiscard]] nlohmann::ordered_json write_found(const PlanQuestion&, const Found&);
[[nodiscard]] Found read_found(const PlanQuestion&, const nlohmann::ordered_json& found, const std::string& path,
                               Reading&);

}  // namespace meshgauge
