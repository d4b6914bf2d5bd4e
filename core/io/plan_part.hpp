// Parts of a search: shards that are asked for on one machine or many, and slices that go on where the one before
// stopped. Answers of parts hold what they found, and are merged.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/plan_question.hpp"
#include "core/search/found.hpp"
#include "core/search/planner.hpp"

namespace meshgauge {

/// What a request asks for: a whole search, a shard, or as much of either as a budget allows.
struct PlanPart {
  PlanQuestion asked;
  nlohmann::ordered_json question;  ///< all that decides what is searched, as a request has it
  bool whole = true;                ///< the answer is a plan; else a part
  std::int64_t budget = 0;          ///< about the work of so many layouts; 0: no limit
  Found found;                      ///< by the slices before
  std::int64_t decided = 0;
};
[[nodiscard]] PlanPart read_part(const nlohmann::ordered_json& request, Reading&);

/// True once the search is done.
[[nodiscard]] bool advance(Planner&, std::int64_t budget);

[[nodiscard]] nlohmann::ordered_json write_part(const PlanPart&, const Planner&, bool complete);

struct MergedParts {
  nlohmann::ordered_json question;
  std::optional<PlanQuestion> asked;
  Found found;
  bool complete = true;  ///< each of them is
};
[[nodiscard]] MergedParts read_parts(const nlohmann::ordered_json& parts, Reading&);

}  // namespace meshgauge
