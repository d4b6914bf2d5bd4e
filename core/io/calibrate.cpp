// The command `calibrate`: what was measured in, a profile and how good it is out.
#include "core/io/calibrate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/calibrate/calibration.hpp"
#include "core/calibrate/run_log.hpp"
#include "core/io/commands.hpp"
#include "core/io/import.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/read_run.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/read_step_records.hpp"
#include "core/io/read_value.hpp"
#include "core/io/run_lines.hpp"
#include "core/io/write_calibration.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields =
    std::to_array<std::string_view>({"command", "files", "runs", "scenario", "cluster", "ranks", "ranks_per_node",
                                     "operation", "name", "profile", "fit_slow"});
constexpr FieldText name_field{.key = "name", .help = "What answers call the profile."};
constexpr FieldText slow_field{.key = "fit_slow", .fallback = "false", .help = "Fits slow machines as they are."};

struct Options {
  KnownPlace known;
  std::string name;
  bool fit_slow = false;
};

Options read_options(const Json& request, Reading& reading) {
  Options options;
  Json place = Json::object();
  for (const auto& [key, value] : request.items()) {
    const std::string path = '/' + key;
    if (key == "ranks" || key == "ranks_per_node" || key == "operation") {
      place[key] = value;
    } else if (key == "name") {
      options.name = read_string(value, name_field, path, reading).value_or("");
    } else if (key == "fit_slow") {
      options.fit_slow = read_boolean(value, slow_field, path, reading).value_or(false);
    } else if (key == "cluster" || key == "profile" || key == "scenario") {
      (void)expect_object(value, key, path, reading);
    } else if (std::find(request_fields.begin(), request_fields.end(), key) == request_fields.end()) {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  options.known = read_place(place, "", reading);
  return options;
}

/// Everything that files and request give, before the cluster is known.
struct Collected {
  CalibrationInput input;
  std::vector<FileNote> files;
};

void add_own_run(const Json& document, std::int64_t line, const std::string& path, Collected& all, Reading& reading) {
  Result<RunDocument> read = read_run(document, line, path);
  reading.issues.insert(reading.issues.end(), read.issues.begin(), read.issues.end());
  if (!read.ok() || !read.value->skipped.empty()) return;
  if (read.value->timing) {
    reading.fail(path, "The line times a kernel or collective alone. Expected: a run with its scenario.");
    return;
  }
  Result<Resolution> resolution = read_scenario(document["scenario"]);
  for (Issue& issue : resolution.issues) reading.issues.push_back({path + "/scenario" + issue.path, issue.message});
  if (!resolution.ok()) return;
  all.input.own.push_back({read.value->run.id, resolution.value->scenario, read.value->run.measured});
}

/// Lines of runs as `validate` reads them: the first that is not blank is an object with a scenario.
bool is_runs(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return false;
  const std::string_view line = text.substr(start, text.substr(start).find('\n'));
  const Result<Json> document = parse_json(line);
  return document.ok() && document.value->is_object() && document.value->contains("scenario") &&
         document.value->contains("measured");
}

void add_run_lines(const NamedText& file, Collected& all, Reading& reading) {
  const std::size_t before = all.input.own.size();
  const Issues issues = read_run_lines(file, [&](const Json& document, std::int64_t line) {
    Reading own;
    add_own_run(document, line, "", all, own);
    return own.issues;
  });
  reading.issues.insert(reading.issues.end(), issues.begin(), issues.end());
  all.files.push_back({file.name, "runs", static_cast<std::int64_t>(all.input.own.size() - before), {}});
}

/// The steps that the files' training logs hold are those of the request's scenario.
void add_logged_run(const Json& scenario, Collected& all, Reading& reading) {
  Result<Resolution> resolution = read_scenario(scenario);
  for (Issue& issue : resolution.issues) reading.issues.push_back({"/scenario" + issue.path, issue.message});
  if (!resolution.ok()) return;
  const Measured measured = measured_by(all.input.runs, resolution.value->scenario);
  if (measured.has_number()) {
    all.input.own.push_back({"training log", resolution.value->scenario, measured});
  } else {
    reading.fail("/scenario", "The files hold no step of a training run that could be of this scenario.");
  }
}

std::string question_text(Question question) {
  return "It does not say " +
         std::string(question == Question::gpu              ? "which GPU: set cluster.gpu"
                     : question == Question::ranks          ? "how many ranks: set ranks"
                     : question == Question::ranks_per_node ? "how many ranks a node: set "
                                                              "ranks_per_node"
                     : question == Question::gpus_per_node  ? "how many GPUs a node has: set "
                                                              "cluster.gpus_per_node"
                                                            : "which operation: set operation") +
         '.';
}

void add_file(const NamedText& file, const KnownPlace& known, Collected& all, Reading& reading) {
  if (is_runs(file.text)) return add_run_lines(file, all, reading);
  Imported imported = import_text(file.text, known);
  FileNote note{file.name, imported.tool, 0, {}};
  if (imported.tool.empty()) {
    note.notes.emplace_back("Not recognised: nothing in it looks like a benchmark's or a training run's output.");
  }
  std::set<std::string> said;
  const auto say = [&](std::string text) {
    if (said.insert(text).second) note.notes.push_back(std::move(text));
  };
  for (ImportedRun& run : imported.runs) {
    note.measurements += static_cast<std::int64_t>(run.measurements.size());
    for (const std::string& text : run.notes) say(text);
    for (const Question question : run.questions) say(question_text(question));
    all.input.runs.push_back(std::move(run));
  }
  for (const Unread& unread : imported.unread) {
    say("line " + std::to_string(unread.line) + ": " + unread.reason + ": " + shortened(unread.text));
  }
  StepRecords records = read_step_records(file.text);
  for (std::string& text : records.notes) say(std::move(text));
  for (StepObservation& step : records.steps) all.input.steps.push_back(std::move(step));
  all.files.push_back(std::move(note));
}

/// What the files say of the machine, where the request does not.
Json cluster_section(const Json& request, const CalibrationInput& input, Reading& reading) {
  Json section = request.value("cluster", Json::object());
  std::set<std::string> gpus;
  std::int64_t per_node = 0, most = 1;
  for (const ImportedRun& run : input.runs) {
    const Place& place = run.place;
    if (place.cpu || !place.gpu.empty()) gpus.insert(place.cpu ? std::string(cpu_id) : place.gpu);
    per_node = std::max({per_node, place.gpus_per_node, place.ranks_per_node});
    most = std::max(most, place.ranks);
  }
  if (gpus.empty()) {
    const auto see = [&](const Cluster& cluster) {
      gpus.insert(cluster.gpu.id);
      per_node = std::max(per_node, cluster.gpus_per_node);
      most = std::max(most, cluster.gpus);
    };
    for (const OwnRun& run : input.own) see(run.scenario.cluster);
    for (const StepObservation& step : input.steps) see(step.scenario.cluster);
  }
  const bool named = section.contains("gpu") || section.contains("system");
  if (!named && gpus.size() > 1) {
    std::vector<std::string_view> names(gpus.begin(), gpus.end());
    reading.fail("/files", "The files are of different hardware: " + list_text(names) +
                               ". Give those of one kind, or set cluster.gpu to take them all as that.");
  } else if (!named && gpus.empty()) {
    reading.fail("/cluster", "The files do not say on what they were measured. Set cluster.system or cluster.gpu.");
  } else if (!named) {
    section["gpu"] = *gpus.begin();
  }
  if (!section.contains("system") && !section.contains("gpus_per_node") && per_node > 0) {
    section["gpus_per_node"] = per_node;
  }
  if (!section.contains("gpus")) section["gpus"] = most;
  return section;
}

void check_own_hardware(const CalibrationInput& input, Reading& reading) {
  for (const OwnRun& run : input.own) {
    if (run.scenario.cluster.gpu.id == input.cluster.gpu.id) continue;
    reading.fail("/runs", "The run " + in_quotes(run.id) + " is on " + run.scenario.cluster.gpu.id +
                              ", the profile is of " + input.cluster.gpu.id + ". Give runs of one kind of hardware.");
  }
}

Result<Json> answer_to(std::span<const NamedText> files, const Json& request, Reading& reading) {
  const Options options = read_options(request, reading);
  Collected all;
  for (const NamedText& file : files) {
    add_file(file, options.known, all, reading);
    if (reading.issues.size() >= most_issues) break;
  }
  if (const auto runs = request.find("runs"); runs != request.end()) {
    if (!runs->is_array()) {
      reading.fail("/runs", "runs is " + shown(*runs) + ". Expected: a list of measured runs.");
    } else {
      for (std::size_t i = 0; i < runs->size(); ++i) {
        add_own_run((*runs)[i], static_cast<std::int64_t>(i) + 1, "/runs/" + std::to_string(i), all, reading);
      }
    }
  }
  if (const auto scenario = request.find("scenario"); scenario != request.end() && scenario->is_object()) {
    add_logged_run(*scenario, all, reading);
  } else if (const std::int64_t steps = steps_in(all.input.runs); steps > 0) {
    all.input.steps_without_scenario = steps;
  }
  if (!reading.issues.empty()) return capped(std::move(reading.issues));
  const Json section = cluster_section(request, all.input, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  Result<Cluster> cluster = read_cluster(section);
  if (!cluster.ok()) return std::move(cluster.issues);
  CalibrationInput& input = all.input;
  input.cluster = std::move(*cluster.value);
  input.fit_slow = options.fit_slow;
  check_own_hardware(input, reading);
  input.base = default_profile(input.cluster);
  if (const auto profile = request.find("profile"); profile != request.end()) {
    Result<Profile> read = read_profile(*profile, "/profile", input.base);
    reading.issues.insert(reading.issues.end(), read.issues.begin(), read.issues.end());
    if (read.ok()) input.base = std::move(*read.value);
  } else {
    input.base.name = "calibrated";
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (!options.name.empty()) input.base.name = options.name;
  std::stable_sort(all.files.begin(), all.files.end(),
                   [](const FileNote& a, const FileNote& b) { return a.name < b.name; });
  return write_calibration(calibrate(input), input, all.files, section);
}

}  // namespace

Result<Json> calibrate_files(std::span<const NamedText> files, const Json& request) {
  Reading reading;
  return answer_to(files, request, reading);
}

Result<double> tokens_per_step(const Json& scenario) {
  Result<Resolution> resolution = read_scenario(scenario);
  if (!resolution.ok()) return std::move(resolution.issues);
  return resolution.value->scenario.useful_tokens_per_step();
}

Result<Json> calibrate_command(const Json& request) {
  Reading reading;
  std::vector<NamedText> files;
  const auto list = request.find("files");
  const bool empty = list != request.end() && list->is_array() && list->empty();  // what is missing is said further on
  if (!empty && (list != request.end() || !request.contains("runs"))) files = read_named_texts(request, reading);
  return answer_to(files, request, reading);
}

}  // namespace meshgauge
