// The command `plan`: a scenario without its layout in, the best layouts and the reasons for them out. A search is cut
// into shards that are asked for one by one, on one machine or many, and merged.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/commands.hpp"
#include "core/io/plan_question.hpp"
#include "core/io/plan_reasons.hpp"
#include "core/io/write_plan.hpp"
#include "core/io/write_value.hpp"
#include "core/scenario/ranges.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText index_field{"index", "", 0, 1e6, "0", "Which of the shards, from 0."};
constexpr FieldText count_field{"count", "", 1, 1e6, "1", "How many shards there are."};
constexpr FieldText limit_field{"no_worse_than", "", 0, 1e18, "none", "Of the goal: nothing above it is looked for."};

/// The request as a merge needs it: all that decides what is searched.
Json question_of(const Json& request, const PlanQuestion& asked) {
  Json question = Json::object();
  for (const char* key : {"profile", "objective", "top", "engines", "schedules"}) {
    if (request.contains(key)) question[key] = request[key];
  }
  question["scenario"] = asked.scenario;
  return question;
}

void read_shard(const Json& request, PlanQuestion& asked, Reading& reading) {
  const auto shard = request.find("shard");
  if (shard == request.end() || !expect_object(*shard, "shard", "/shard", reading)) return;
  asked.part = true;
  const auto read = [&](const FieldText& field, std::int64_t& slot) {
    const auto value = shard->find(field.key);
    if (value == shard->end()) return;
    const std::string path = "/shard/" + std::string(field.key);
    const auto number = read_integer(*value, field, path, reading);
    if (number && !in_range(field, static_cast<double>(*number))) {
      reading.fail(path, range_message(field, shown(*value)));
    } else if (number) {
      slot = *number;
    }
  };
  static constexpr std::string_view keys[] = {"index", "count"};
  for (const auto& [key, value] : shard->items()) {
    if (key != "index" && key != "count") report_unknown(key, "/shard", keys, {}, reading);
  }
  Shard& part = asked.question.shard;
  read(index_field, part.index);
  read(count_field, part.count);
  if (part.index >= part.count) {
    reading.fail("/shard/index", "index is " + shown(Json(part.index)) + ", and there are " + shown(Json(part.count)) +
                                     " shards. Allowed: 0 to " + shown(Json(part.count - 1)) + '.');
  }
}

/// Above it nothing that another shard finds is of interest; null as long as everything is.
Json limit_of(const PlanQuestion& asked, const Found& found) {
  if (asked.question.goal == Goal::memory || found.best.size() < pool_size(asked.question)) return nullptr;
  const double reach = asked.question.goal == Goal::step ? frontier_reach * found.best.front().value : 0;
  return std::max(found.best.back().value, reach);
}

/// Of grids alone: which schedules were judged depends on what the bounds left over.
Json write_excluded(const PlanQuestion& asked) {
  Exclusions exclusions;
  Issues issues;
  (void)engine_spaces(asked.question, exclusions, issues);
  Json list = Json::array();
  for (const Exclusion& e : exclusions.list()) {
    list.push_back({{"rule", e.rule},
                    {"text", e.text},
                    {"count", e.count},
                    {"nearest", {{"path", e.first.path}, {"message", e.first.message}}}});
  }
  return list;
}

Json finish(const Json& question, const PlanQuestion& asked, Found found) {
  cut_frontier(asked.question, found);
  std::vector<Plan> plans;
  for (const Candidate& c : found.best) plans.push_back(make_plan(asked.question.request, asked.profile, c));
  // The replay has the last word: closed forms leave out what single messages and uneven chunks do to a schedule.
  if (asked.question.goal != Goal::memory) {
    std::stable_sort(plans.begin(), plans.end(), [&](const Plan& a, const Plan& b) {
      const auto value = [&](const Plan& p) {
        return value_of(asked.question.goal, p.candidate.grid, {.seconds = p.step.seconds});
      };
      return value(a) < value(b);
    });
  }
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["question"] = question;
  answer["fits"] = !plans.empty();
  Json& list = answer["plans"] = Json::array();
  const std::size_t shown = std::min(plans.size(), static_cast<std::size_t>(asked.question.top));
  for (std::size_t i = 0; i < shown; ++i) list.push_back(write_plan(asked, plans[i]));
  Json& frontier = answer["frontier"] = Json::array();
  for (const Candidate& c : found.frontier) {
    Json json{{"layout", layout_text(scenario_of(asked.question.request, c))}, {"fits", c.fits}};
    const Json candidate = write_candidate(asked.question.request, c);
    json["step_seconds"] = rounded_number(c.cost.seconds.value);
    json["device_bytes"] = candidate["device_bytes"];
    json["set"] = candidate["layout"];
    frontier.push_back(std::move(json));
  }
  answer["excluded"] = write_excluded(asked);
  answer["reasons"] = write_reasons(asked, plans, found);
  answer["search"] = {{"grids", found.counts.grids},
                      {"grids_excluded_by_bound", found.counts.bounded},
                      {"layouts_evaluated", found.counts.evaluated},
                      {"layouts_that_fit", found.counts.fit}};
  return answer;
}

Result<Json> merge_answers(const Json& parts) {
  Reading reading;
  if (!parts.is_array() || parts.empty()) {
    return Issues{{"/merge", "merge is " + shown(parts) + ". Expected: a list of answers of plan with a shard."}};
  }
  std::optional<PlanQuestion> asked;
  Json question;
  Found found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string path = "/merge/" + std::to_string(i);
    const Json& part = parts[i];
    if (!part.is_object() || !part.contains("question") || !part["question"].is_object() || !part.contains("found")) {
      reading.fail(path, "This is no answer of plan with a shard.");
      continue;
    }
    if (!asked) {
      question = part["question"];
      asked = read_question(question, reading);
      if (!reading.issues.empty()) break;
    } else if (part["question"] != question) {
      reading.fail(path + "/question", "It answers another question than the first. Merge shards of one search.");
      continue;
    }
    merge(asked->question, read_found(*asked, part["found"], path + "/found", reading), found);
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  return finish(question, *asked, std::move(found));
}

}  // namespace

Result<Json> plan_command(const Json& request) {
  if (request.contains("merge")) return merge_answers(request["merge"]);
  Reading reading;
  for (const auto& [key, value] : request.items()) {
    const bool known = std::find(std::begin(question_keys), std::end(question_keys), key) != std::end(question_keys);
    if (!known && key != "shard" && key != "no_worse_than") report_unknown(key, "", question_keys, {}, reading);
  }
  PlanQuestion asked = read_question(request, reading);
  read_shard(request, asked, reading);
  if (request.contains("no_worse_than")) {
    asked.question.no_worse_than =
        read_number(request["no_worse_than"], limit_field, "/no_worse_than", reading).value_or(0);
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  Found found = search(asked.question, asked.profile);
  if (!found.issues.empty()) return std::move(found.issues);
  const Json question = question_of(request, asked);
  if (!asked.part) return finish(question, asked, std::move(found));
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["question"] = question;
  answer["shard"] = {{"index", asked.question.shard.index}, {"count", asked.question.shard.count}};
  answer["no_worse_than"] = limit_of(asked, found);
  answer["found"] = write_found(asked, found);
  return answer;
}

}  // namespace meshgauge
