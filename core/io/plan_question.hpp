// What a request asks of a search: the scenario and the goal.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "core/io/read_value.hpp"
#include "core/price/profile.hpp"
#include "core/search/question.hpp"

namespace meshgauge {

struct PlanQuestion {
  LayoutQuestion question;
  Profile profile;
  nlohmann::ordered_json scenario;  ///< as given; its global batch is filled in
  nlohmann::ordered_json layout;    ///< to compare the best with: fields by section; null: none
};

/// Keys that plan and solve share.
inline constexpr auto question_keys = std::to_array<std::string_view>(
    {"command", "scenario", "profile", "objective", "top", "engines", "schedules", "fit_probability"});

/// Chance to fit of what counts as fitting where an inverse question, which gives one answer, names none. Plans name
/// the chance of each layout: they take what is predicted to fit.
inline constexpr double surely = 0.95;

/// Reads the shared keys. `surety`: the least chance to fit where the request names none. `reading` has the issues;
/// without any the question can be searched.
[[nodiscard]] PlanQuestion read_question(const nlohmann::ordered_json& request, double surety, Reading& reading);

/// Engines that plans choose from where the scenario names none: those that people start jobs with today.
[[nodiscard]] std::vector<Engine> usual_engines(std::int64_t gpus);

}  // namespace meshgauge
