// Time in an answer: FLOPs, every transfer, the step with its breakdown, and the whole run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/compose/step.hpp"

namespace meshgauge {

[[nodiscard]] nlohmann::ordered_json write_flops(const StepFlops&);
/// Seconds are of a step; message_seconds, latency_seconds and transfer_seconds of one message.
[[nodiscard]] nlohmann::ordered_json write_traffic(const StepReport&, const Scenario&, const Profile&);
[[nodiscard]] nlohmann::ordered_json write_step(const StepReport&);
/// null if the length of the run was not asked for.
[[nodiscard]] nlohmann::ordered_json write_run(const std::optional<RunReport>&);

}  // namespace meshgauge
