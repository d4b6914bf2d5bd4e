// Layouts that were found, with their steps replayed.
#pragma once

#include <vector>

#include "core/compose/step.hpp"
#include "core/price/profile.hpp"
#include "core/search/found.hpp"

namespace meshgauge {

/// A candidate whose step was replayed.
struct Plan {
  Candidate candidate;
  Scenario scenario;
  StepReport step;
};

/// The candidate's scenario with its step replayed.
[[nodiscard]] Plan make_plan(const ScenarioRequest&, const Profile&, const Candidate&);

/// The best layout of each of the `count` best grids, best first. The replay has the last word: closed forms leave out
/// what single messages and uneven chunks do to a schedule. They are rarely above it, so that what is slower than the
/// last even by its closed form is not replayed.
[[nodiscard]] std::vector<Plan> replay_best(const LayoutQuestion&, const Profile&, const Found&, std::size_t count);

/// What nothing beats in time and memory once steps are replayed: of the frontier that was found and of these plans.
[[nodiscard]] std::vector<Candidate> replay_frontier(const LayoutQuestion&, const Profile&, const Found&,
                                                     const std::vector<Plan>&);

}  // namespace meshgauge
