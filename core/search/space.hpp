// The layouts to choose from: every legal value of what a request leaves open.
#pragma once

#include <vector>

#include "core/price/profile.hpp"
#include "core/search/exclusions.hpp"
#include "core/search/layout.hpp"
#include "core/search/question.hpp"

namespace meshgauge {

/// Ascending; none of what is less than one.
[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t);

/// One engine's part of the space. A scenario for each ZeRO stage, filled in with that stage's defaults.
struct EngineSpace {
  Engine engine = Engine::single;
  std::vector<Scenario> stages;
  std::vector<Grid> grids;
};

/// What a layout of the scenario's engine may take of the GPU's memory to be as sure to fit as is asked.
[[nodiscard]] Bytes room_of(const LayoutQuestion&, const Profile&, const Scenario&);

/// Whether the scenario fits as surely as is asked.
[[nodiscard]] bool fits_surely(const LayoutQuestion&, const Profile&, Scenario);

/// The engines that can train this at all, with every legal grid, on GPUs of no more memory than the room there is.
/// `issues`: what all engines refuse alike, if none can.
[[nodiscard]] std::vector<EngineSpace> engine_spaces(const LayoutQuestion&, const Profile&, Exclusions&,
                                                     Issues& issues);

/// Whether a layout of the engine may have the schedule.
[[nodiscard]] bool offers(const LayoutQuestion&, Engine, Schedule);

/// Schedules and splits for a scenario whose grid is set, legal or not.
[[nodiscard]] std::vector<ScheduleChoice> schedule_choices(const LayoutQuestion&, const Scenario&);

/// From none to all, of what the engine can run again and the model has; or what is asked for, as the engine's scenario
/// has it.
[[nodiscard]] std::vector<RecomputeChoice> recompute_choices(const LayoutQuestion&, const Scenario& of_engine,
                                                             std::int64_t pipeline);

}  // namespace meshgauge
