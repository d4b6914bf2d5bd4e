#include "core/io/plan_part.hpp"

#include <algorithm>

#include "core/io/commands.hpp"
#include "core/io/plan_against.hpp"
#include "core/io/write_plan.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText index_field{"index", "", 0, 1e6, "0", "Which of the shards, from 0."};
constexpr FieldText count_field{"count", "", 1, 1e6, "1", "How many shards there are."};
constexpr FieldText limit_field{"no_worse_than", "", 0, 1e18, "none", "Of the goal: nothing above it is looked for."};
constexpr FieldText budget_field{"budget", "layouts", 1, 1e12, "none", "About how many layouts to evaluate."};
constexpr FieldText decided_field{"decided", "", 0, 1e15, "", "Grids that the slices before have decided."};

/// The request as a merge needs it: all that decides what is searched.
Json question_of(const Json& request, const PlanQuestion& asked) {
  Json question = Json::object();
  for (const char* key : {"profile", "objective", "top", "engines", "schedules", "fit_probability"}) {
    if (request.contains(key)) question[key] = request[key];
  }
  question["scenario"] = asked.scenario;
  if (!asked.layout.is_null()) question["against"] = asked.layout;
  return question;
}

void read_shard(const Json& shard, const std::string& path, Shard& part, Reading& reading) {
  if (!expect_object(shard, "shard", path, reading)) return;
  static constexpr std::string_view keys[] = {"index", "count"};
  report_unknown_fields(shard, path, keys, reading);
  part.index = count_at(shard, index_field, path, reading).value_or(0);
  part.count = count_at(shard, count_field, path, reading).value_or(1);
  if (part.index >= part.count) {
    reading.fail(path + "/index", "index is " + shown(Json(part.index)) + ", and there are " + shown(Json(part.count)) +
                                      " shards. Allowed: 0 to " + shown(Json(part.count - 1)) + '.');
  }
}

bool is_part(const Json& json) {
  return json.is_object() && json.contains("question") && json["question"].is_object() && json.contains("found");
}

/// Where an earlier slice stopped.
void read_slice(const Json& before, PlanPart& part, Reading& reading) {
  part.whole = false;
  if (!is_part(before)) {
    reading.fail("/resume", "This is no answer of plan with a shard or a budget.");
    return;
  }
  part.question = before["question"];
  part.asked = read_question(part.question, as_predicted, reading);
  if (before.contains("shard")) read_shard(before["shard"], "/resume/shard", part.asked.question.shard, reading);
  part.decided = count_at(before, decided_field, "/resume", reading).value_or(0);
  if (reading.issues.empty()) part.found = read_found(part.asked, before["found"], "/resume/found", reading);
}

/// Above it nothing that another shard finds is of interest; null as long as everything is.
Json limit_of(const PlanQuestion& asked, const Found& found) {
  if (asked.question.goal == Goal::memory || found.best.size() < pool_size(asked.question)) return nullptr;
  const double reach = asked.question.goal == Goal::step ? asked.question.reach * found.best.front().value : 0;
  return std::max(found.best.back().value, reach);
}

}  // namespace

PlanPart read_part(const Json& request, Reading& reading) {
  static constexpr std::string_view own_keys[] = {"shard", "open", "against", "budget", "no_worse_than", "resume"};
  static constexpr std::string_view of_slices[] = {"command", "budget", "no_worse_than", "resume"};
  const auto known = [](const auto& keys, std::string_view key) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  };
  PlanPart part;
  const auto before = request.find("resume");
  for (const auto& [key, value] : request.items()) {
    if (!known(question_keys, key) && !known(own_keys, key)) {
      report_unknown(key, "", question_keys, {}, reading);
    } else if (before != request.end() && !known(of_slices, key)) {
      reading.fail('/' + key, key + " stands beside resume, which holds the question. Leave it out.");
    }
  }
  if (before != request.end()) {
    read_slice(*before, part, reading);
  } else {
    part.asked = read_question(request, as_predicted, reading);
    part.question = question_of(request, part.asked);
    const auto shard = request.find("shard");
    if (shard != request.end()) read_shard(*shard, "/shard", part.asked.question.shard, reading);
    part.whole = shard == request.end() && !request.contains("budget");
  }
  (void)read_against(part.asked, reading);  // so that what is wrong with it is said at once
  part.budget = count_at(request, budget_field, "", reading).value_or(0);
  if (request.contains("no_worse_than")) {
    part.asked.question.no_worse_than =
        number_in_range(request["no_worse_than"], limit_field, "/no_worse_than", reading).value_or(0);
  }
  return part;
}

bool advance(Planner& planner, std::int64_t budget) {
  constexpr std::int64_t step = 1 << 20;
  if (budget > 0) return planner.advance(budget);
  while (!planner.advance(step)) {
  }
  return true;
}

Json write_part(const PlanPart& part, const Planner& planner, bool complete) {
  const Found found = planner.found();
  const Shard& shard = part.asked.question.shard;
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["question"] = part.question;
  answer["shard"] = {{"index", shard.index}, {"count", shard.count}};
  answer["complete"] = complete;
  answer["decided"] = planner.decided();
  answer["no_worse_than"] = limit_of(part.asked, found);
  answer["found"] = write_found(part.asked, found);
  return answer;
}

MergedParts read_parts(const Json& parts, Reading& reading) {
  MergedParts merged;
  if (!parts.is_array() || parts.empty()) {
    reading.fail("/merge", "merge is " + shown(parts) + ". Expected: a list of answers of plan with a shard.");
    return merged;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string path = "/merge/" + std::to_string(i);
    const Json& part = parts[i];
    if (!is_part(part)) {
      reading.fail(path, "This is no answer of plan with a shard.");
      continue;
    }
    if (!merged.asked) {
      merged.question = part["question"];
      merged.asked = read_question(merged.question, as_predicted, reading);
      if (!reading.issues.empty()) break;
    } else if (part["question"] != merged.question) {
      reading.fail(path + "/question", "It answers another question than the first. Merge shards of one search.");
      continue;
    }
    const auto complete = part.find("complete");
    merged.complete = merged.complete && (complete == part.end() || *complete == true);
    merge(merged.asked->question, read_found(*merged.asked, part["found"], path + "/found", reading), merged.found);
  }
  return merged;
}

}  // namespace meshgauge
