// Tests that ask the way users do: a scenario through the JSON door.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "core/io/api.hpp"

namespace meshgauge::testing {

using nlohmann::json;

[[nodiscard]] inline json ask(const json& request) { return json::parse(api(request.dump())); }

/// The answer to `estimate`. Throws with the issues if the scenario is refused.
[[nodiscard]] inline json estimate(const json& scenario) {
  json answer = ask({{"command", "estimate"}, {"scenario", scenario}});
  if (!answer.at("ok").get<bool>()) throw std::runtime_error(answer.dump());
  return answer;
}

/// Sum of the bytes of a stage's lines whose id is one of `ids`, alive at the peak or not.
[[nodiscard]] inline double line_bytes(const json& stage, std::initializer_list<const char*> ids) {
  double sum = 0;
  for (const char* list : {"lines", "other_lines"}) {
    for (const json& line : stage.at(list)) {
      for (const char* id : ids) {
        if (line.at("id") == id) sum += line.at("bytes").get<double>();
      }
    }
  }
  return sum;
}

/// Parameters, gradients and optimizer states of a stage.
[[nodiscard]] inline double state_bytes(const json& stage) {
  return line_bytes(stage, {"parameters", "expert_parameters", "gradients", "expert_gradients", "master_weights",
                            "main_gradients", "optimizer_moments"});
}

/// Sum over the lines of one category that are alive in `phase`.
[[nodiscard]] inline double category_bytes(const json& stage, const std::string& category, const std::string& phase) {
  double sum = 0;
  for (const char* list : {"lines", "other_lines"}) {
    for (const json& line : stage.at(list)) {
      bool alive = false;
      for (const json& p : line.at("phases")) alive = alive || p == phase;
      if (alive && line.at("category") == category) sum += line.at("bytes").get<double>();
    }
  }
  return sum;
}

}  // namespace meshgauge::testing
