// The command `solve`: the largest or least value of one field for which a layout fits, or is good enough.
#include "core/search/solve.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/count/parameters.hpp"
#include "core/io/commands.hpp"
#include "core/io/plan_question.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/write_plan.hpp"
#include "core/io/write_value.hpp"
#include "core/resolve/resolve.hpp"
#include "core/scenario/rounding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText for_field{.key = "for", .help = "What is looked for."};
constexpr FieldText days_field{"days", "days", 1e-3, 1e5, "", "The run's deadline."};
constexpr FieldText mfu_field{"mfu", "", 0.001, 1, "", "Model FLOPs over peak that a step has to reach."};

struct Words {
  const char* what;   ///< of the answer
  const char* field;  ///< that it is a value of
};
Words words_of(Unknown unknown) {
  switch (unknown) {
    case Unknown::max_sequence:
      return {"The longest sequence", "/training/sequence_length"};
    case Unknown::max_micro_batch:
      return {"The largest micro-batch", "/training/micro_batch_size"};
    case Unknown::min_gpus:
      return {"The fewest GPUs", "/cluster/gpus"};
    case Unknown::max_layers:
      return {"The most layers of this width", "/model"};
    case Unknown::deadline:
      return {"The cluster with the fewest GPU hours", "/cluster/gpus"};
    case Unknown::min_global_batch:
      return {"The smallest global batch", "/training/global_batch_size"};
  }
  return {};
}

std::string percent_text(double share) { return number_text(round_significant(100 * share, 3)) + " %"; }

/// Why a value is not enough.
std::string reason_of(const LayoutQuestion& question, Unknown unknown, const Trial& trial) {
  if (!trial.issues.empty()) return trial.issues.front().message;
  if (trial.best) {
    return unknown == Unknown::deadline ? "the run takes longer than the deadline with the best layout."
                                        : "no layout reaches the efficiency that is asked for.";
  }
  if (trial.least.value <= 0) return "no layout is legal.";
  const Bytes capacity = resolve_cluster(question.request).gpu.memory;
  const std::string least = ": the one that needs least needs " + gib_text(trial.least) + " of " + gib_text(capacity);
  if (question.surety <= as_predicted) return "no layout fits" + least + '.';
  return "no layout is " + percent_text(question.surety) + " likely to fit" + least + '.';
}

Json write_trial(const PlanQuestion& asked, const Inverse& inverse, const Trial& trial, const Profile& profile) {
  PlanQuestion at = asked;
  at.question = with_value(asked.question, inverse.unknown, trial.value);
  at.profile = profile;
  Json json{{"value", trial.value}};
  if (inverse.unknown == Unknown::max_layers) {
    json["parameters"] = exact_number(total_parameters(*at.question.request.model));
  }
  const std::int64_t positions = at.question.request.model->max_sequence;
  if (inverse.unknown == Unknown::max_sequence && positions > 0 && trial.value > positions) {
    json["model_positions"] = positions;
  }
  if (trial.best) {
    const Plan plan = make_plan(at.question.request, profile, *trial.best);
    json["plan"] = write_plan(at, plan);
    if (inverse.unknown == Unknown::max_layers) json["plan"].erase("scenario");  // the model is no document's
    if (plan.scenario.training.tokens > 0) {
      const double steps = plan.scenario.training.tokens / plan.scenario.useful_tokens_per_step();
      json["days"] = rounded_number(steps * plan.step.seconds.value / 86400);
    }
  }
  return json;
}

/// Of the answer's layout, where and of what it needs most.
std::string what_binds(const Json& plan) {
  const Json& binding = plan["binding"];
  const double needed = plan["needed_bytes"].get<double>(), capacity = plan["capacity_bytes"].get<double>();
  std::string text = "It is " + percent_text(plan["fit_probability"].get<double>()) +
                     " likely to fit: " + gib_text({needed}) + " of " + gib_text({capacity}) + " on stage " +
                     binding["stage"].dump() + " in " + binding["phase"].get<std::string>();
  if (binding.contains("line")) {
    text += ", the most of it " + binding["line_name"].get<std::string>() + " with " +
            gib_text({binding["line_bytes"].get<double>()});
  }
  return text + '.';
}

Json write_solution(const PlanQuestion& asked, const Inverse& inverse, const Solved& solution,
                    const std::function<Profile(std::int64_t)>& profile_of) {
  const Words words = words_of(inverse.unknown);
  const auto profile = [&](const Trial& trial) {
    return profile_of(with_value(asked.question, inverse.unknown, trial.value).gpus.back());
  };
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["for"] = name_of(inverse.unknown);
  answer["solved"] = solution.answer.has_value();
  answer["field"] = words.field;
  answer["fit_probability"] = asked.question.surety;
  answer["unit"] = solution.unit;
  answer["answer"] =
      solution.answer ? write_trial(asked, inverse, *solution.answer, profile(*solution.answer)) : Json();
  answer["next"] = nullptr;
  std::string text = words.what;
  text += solution.answer ? " is " + number_text(solution.answer->value) + '.' : ": there is none.";
  if (answer["answer"].contains("plan")) text += ' ' + what_binds(answer["answer"]["plan"]);
  if (solution.answer && answer["answer"].contains("model_positions")) {
    text += " That is beyond the " + answer["answer"]["model_positions"].dump() + " positions of the model.";
  }
  if (solution.answer && !solution.next && inverse.unknown == Unknown::max_micro_batch) {
    text += " Nothing larger divides the global batch.";
  }
  if (solution.unit > 1) text += " Multiples of " + number_text(solution.unit) + " were tried.";
  if (solution.next) {
    const std::string reason =
        reason_of(with_value(asked.question, inverse.unknown, solution.next->value), inverse.unknown, *solution.next);
    answer["next"] = {{"value", solution.next->value}, {"reason", reason}};
    text += " With " + number_text(solution.next->value) + ' ' + reason;
  }
  answer["text"] = text;
  answer["values_tried"] = solution.trials;
  return answer;
}

double number_of(const Json& request, const FieldText& field, const char* what, bool needed, Reading& reading) {
  const std::string path = "/" + std::string(field.key);
  const auto value = request.find(field.key);
  if (value == request.end()) {
    if (needed) reading.fail(path, std::string(field.key) + " is missing. Set it to " + what + '.');
    return 0;
  }
  return number_in_range(*value, field, path, reading).value_or(0);
}

}  // namespace

Result<Json> solve_command(const Json& request) {
  Reading reading;
  for (const auto& [key, value] : request.items()) {
    const bool known = std::find(std::begin(question_keys), std::end(question_keys), key) != std::end(question_keys);
    if (!known && key != "for" && key != "days" && key != "mfu") report_unknown(key, "", question_keys, {}, reading);
  }
  Inverse inverse;
  if (!request.contains("for")) {
    reading.fail("/for", "for is missing. Allowed: " + list_text(all_names<Unknown>()) + '.');
  } else {
    inverse.unknown =
        static_cast<Unknown>(read_choice(request["for"], for_field, all_names<Unknown>(), "/for", reading).value_or(0));
  }
  const bool deadline = inverse.unknown == Unknown::deadline, batch = inverse.unknown == Unknown::min_global_batch;
  inverse.deadline = {86400 * number_of(request, days_field, "the run's deadline", deadline, reading)};
  inverse.efficiency = number_of(request, mfu_field, "a share of the peak, such as 0.4", batch, reading);
  const PlanQuestion asked = read_question(request, surely, reading);
  if (deadline && !asked.question.request.training.tokens && reading.issues.empty()) {
    reading.fail("/scenario/training/tokens", "tokens is missing: a deadline is one of a run. Set the run's tokens.");
  }
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Json document = request.contains("profile") ? request["profile"] : Json::object();
  const Cluster cluster = resolve_cluster(asked.question.request);
  const std::function<Profile(std::int64_t)> profile_of = [&](std::int64_t gpus) {
    Cluster at = cluster;
    at.gpus = gpus;
    Result<Profile> profile = read_profile(document, "/profile", default_profile(at));
    return profile.ok() ? std::move(*profile.value) : default_profile(at);
  };
  return write_solution(asked, inverse, solve(asked.question, inverse, profile_of), profile_of);
}

}  // namespace meshgauge
