// Each remedy of a scenario estimated for itself: what it saves, what is then needed, how long a step takes then.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/compose/step.hpp"
#include "core/io/stage_memory.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Those that are legal and save something, the largest saving first. `model` is as write_scenario() takes it.
[[nodiscard]] nlohmann::ordered_json try_remedies(const Scenario&, const nlohmann::ordered_json& model, const Profile&);

/// Those that are legal and save bytes or time: first what fits, the fastest first, then what lacks least. `saved_time`
/// is the share of the time for the same tokens on a GPU. `before` and `now`: fullest rank and step of the scenario.
[[nodiscard]] nlohmann::ordered_json try_changes(const Scenario&, const StageMemory& before, const StepReport& now,
                                                 const nlohmann::ordered_json& model, const Profile&);

}  // namespace meshgauge
