// A step's timeline in an answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/compose/step.hpp"

namespace meshgauge {

/// `[{"stage", "events": [{"start", "end", "kind", "micro_batch", "chunk", "to"}]}]`: seconds from the step's start, in
/// whole nanoseconds; only what is a pass or a message has a micro-batch and a chunk, only a message goes `to` a stage.
[[nodiscard]] nlohmann::ordered_json write_timeline(const std::vector<StageTimeline>&);

}  // namespace meshgauge
