// The command `launch`: the files and commands that start a scenario.
#include "core/launch/launch.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_issues.hpp"
#include "core/io/write_scenario.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "scenario", "target"});
constexpr FieldText target_field{.key = "target", .help = "What is to start the job."};

std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names;
  for (const Target* target : launch_targets()) names.push_back(target->name);
  return names;
}

bool starts(const Target& target, Engine engine) {
  return std::find(target.engines.begin(), target.engines.end(), engine) != target.engines.end();
}

/// A scenario that names no engine gets the target's own, so that its defaults are those of what will run.
Json with_engine(const Json& request, const Target& target) {
  Json changed = request;
  const auto scenario = changed.find("scenario");
  if (scenario == changed.end() || !scenario->is_object() || target.engines.size() != 1) return changed;
  Json& training = (*scenario)["training"];
  if (training.is_null()) training = Json::object();
  if (training.is_object() && !training.contains("engine")) training["engine"] = name_of(target.engines.front());
  return changed;
}

Issues wrong_engine(const Target& target, Engine engine) {
  std::vector<std::string_view> engines, others;
  for (const Engine one : target.engines) engines.push_back(name_of(one));
  for (const Target* other : launch_targets()) {
    if (starts(*other, engine)) others.push_back(other->name);
  }
  const std::string elsewhere = others.empty() ? "No target does." : "Targets that do: " + list_text(others) + '.';
  return {{path::engine, "engine is " + std::string(name_of(engine)) + ", which " + std::string(target.name) +
                             " does not start. " + elsewhere + " Or set engine " + list_text(engines) + '.'}};
}

/// What was asked for by name and no file says.
void warn_of_left_out(const Json& document, const Target& target, Issues& warnings) {
  for (const char* section : {"parallelism", "training"}) {
    if (!document.contains(section)) continue;
    for (const auto& [key, value] : document[section].items()) {
      const std::string path = '/' + std::string(section) + '/' + key;
      if (std::find(target.carries.begin(), target.carries.end(), path) != target.carries.end()) continue;
      const bool nothing = value == Json(1) || value == Json(false) || value == Json("none") || value.is_null();
      if (nothing) continue;
      warnings.push_back({path, key + " is " + shown(value) + ": no file says it. See to it in your program."});
    }
  }
}

Json write_set(const LaunchSet& set) {
  Json json = Json::object();
  Json& files = json["files"] = Json::array();
  for (const LaunchFile& file : set.files) {
    files.push_back({{"path", file.path}, {"text", file.text}, {"executable", file.executable}});
  }
  Json& commands = json["commands"] = Json::array();
  for (const LaunchCommand& command : set.commands)
    commands.push_back({{"where", command.where}, {"text", command.text}});
  return json;
}

}  // namespace

Result<Json> launch_command(const Json& request) {
  Reading reading;
  const Target* target = nullptr;
  for (const auto& [key, value] : request.items()) {
    if (key == "target") {
      const auto choice = read_choice(value, target_field, target_names(), "/target", reading);
      if (choice) target = launch_targets()[*choice];
    } else if (key != "command" && key != "scenario") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  if (!request.contains("target")) {
    reading.fail("/target", "target is missing. Allowed: " + list_text(target_names()) + '.');
  }
  const auto asked = read_asked_scenario(target != nullptr ? with_engine(request, *target) : request, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  const Scenario& s = asked->resolution.scenario;
  if (!starts(*target, s.training.engine)) return wrong_engine(*target, s.training.engine);
  Findings findings;
  target->check(s, findings);
  Issues issues = std::move(findings).take();
  if (!issues.empty()) return issues;

  const LaunchSet set = target->emit(s);
  Issues warnings = asked->resolution.warnings;
  warnings.insert(warnings.end(), set.warnings.begin(), set.warnings.end());
  warn_of_left_out(asked->document, target->carries.empty() ? *target_of(s.training.engine) : *target, warnings);
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["target"] = target->name;
  answer["version"] = target->version;
  answer["scenario"] = write_scenario(s, asked->document["model"]);
  answer.update(write_set(set));
  answer["warnings"] = write_issues(warnings);
  return {std::move(answer)};
}

}  // namespace meshgauge
