// A whole search in one call, and layouts back and forth.
#pragma once

#include <map>
#include <tuple>

#include "core/price/profile.hpp"
#include "core/search/found.hpp"

namespace meshgauge {

[[nodiscard]] Found search(const LayoutQuestion&, const Profile&);

/// The layout of a scenario; without its cost.
[[nodiscard]] Candidate candidate_of(const Scenario&);

/// The scenarios of layouts, as an estimate would fill them in.
class LayoutScenarios {
 public:
  /// The request is a prepared one with its batch given, and has to outlive it.
  explicit LayoutScenarios(const ScenarioRequest& request) : request_(request) {}

  /// Until the next call.
  [[nodiscard]] const Scenario& operator()(const Candidate&);

 private:
  const ScenarioRequest& request_;
  /// What all layouts with the same GPUs, engine and ZeRO stage share.
  std::map<std::tuple<std::int32_t, Engine, std::int64_t>, Scenario> filled_in_;
};
[[nodiscard]] Scenario scenario_of(const ScenarioRequest&, const Candidate&);

}  // namespace meshgauge
