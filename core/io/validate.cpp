// The command `validate`: measured runs in, predictions beside them and their errors out.
#include "core/io/validate.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "core/io/commands.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/read_run.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/read_value.hpp"
#include "core/io/run_lines.hpp"
#include "core/io/write_validation.hpp"
#include "core/price/memory_spread.hpp"
#include "core/scenario/words.hpp"
#include "core/validate/file_report.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "files", "profile"});
constexpr auto file_fields = std::to_array<std::string_view>({"file", "runs"});
constexpr FieldText file_field{.key = "file", .help = "What answers call the file."};
constexpr std::size_t most_reasons = 3;  ///< why one run is refused; the others are counted

/// What a refused scenario says, in one line.
std::string reason_of(const Issues& issues) {
  std::string reason;
  for (std::size_t i = 0; i < issues.size() && i < most_reasons; ++i) {
    if (i > 0) reason += ' ';
    if (!issues[i].path.empty()) reason += issues[i].path + ": ";
    reason += issues[i].message;
  }
  if (issues.size() <= most_reasons) return reason;
  const auto rest = static_cast<std::int64_t>(issues.size() - most_reasons);
  return reason + " And " + number_text(rest) + (rest == 1 ? " more problem." : " more problems.");
}

/// The default prices of a cluster, with those of the document in their places.
Result<Profile> profile_for(const Cluster& cluster, const Json& document) {
  Profile prices = default_profile(cluster);
  if (document.is_null()) return prices;
  return read_profile(document, "/profile", std::move(prices));
}

/// Adds a run to the rows, or to those skipped. Issues are of the document alone.
Issues add_run(const Json& document, std::int64_t line, const std::string& path, const Json& profile_document,
               FileReport& report) {
  Result<RunDocument> read = read_run(document, line, path);
  if (!read.ok()) return std::move(read.issues);
  MeasuredRun& run = read.value->run;
  if (!read.value->skipped.empty()) {
    report.skipped.push_back({std::move(run.id), line, std::move(read.value->skipped)});
    return {};
  }
  if (read.value->timing) {
    Result<Cluster> cluster = read_cluster(document.value("cluster", Json::object()));
    if (!cluster.ok()) {
      report.skipped.push_back({std::move(run.id), line, reason_of(cluster.issues)});
      return {};
    }
    Timing& timing = *read.value->timing;
    timing.cluster = std::move(*cluster.value);
    Result<Profile> profile = profile_for(timing.cluster, profile_document);
    if (!profile.ok()) return std::move(profile.issues);
    RunComparison comparison;
    (std::holds_alternative<CollectiveCall>(timing.call) ? comparison.collective : comparison.kernel) =
        compare(timing, *profile.value);
    report.rows.push_back({std::move(run), line, comparison, labels_of(timing)});
    return {};
  }
  const Result<Resolution> resolution = read_scenario(document["scenario"]);
  if (!resolution.ok() || !resolution.issues.empty()) {
    report.skipped.push_back({std::move(run.id), line, reason_of(resolution.issues)});
    return {};
  }
  const Scenario& scenario = resolution.value->scenario;
  Result<Profile> read_prices = profile_for(scenario.cluster, profile_document);
  if (!read_prices.ok()) return std::move(read_prices.issues);
  const Profile& profile = *read_prices.value;
  const Prediction prediction = predict(scenario, profile, run.measured.rank);
  const RunComparison comparison = compare(run.measured, prediction, half_ranges(memory_spread(scenario, profile)));
  report.rows.push_back({std::move(run), line, comparison, {}});
  return {};
}

/// A profile that is wrong is wrong for every run: said once.
Issues profile_issues(const Json& document) {
  return document.is_null() ? Issues{} : read_profile(document, "/profile", default_profile(Cluster{})).issues;
}

FileReport read_lines(const NamedText& file, const Json& profile, Issues& issues) {
  FileReport report;
  report.name = file.name;
  const Issues found = read_run_lines(
      file, [&](const Json& document, std::int64_t line) { return add_run(document, line, "", profile, report); });
  issues.insert(issues.end(), found.begin(), found.end());
  return report;
}

FileReport read_file(const Json& document, std::size_t index, const Json& profile, Reading& reading) {
  FileReport report;
  report.name = '#' + std::to_string(index + 1);
  const std::string path = "/files/" + std::to_string(index);
  if (!expect_object(document, "The file", path, reading)) return report;
  for (const auto& [key, value] : document.items()) {
    if (key == "file") {
      report.name = read_string(value, file_field, path + "/file", reading).value_or(report.name);
    } else if (key != "runs") {
      report_unknown(key, path, file_fields, {}, reading);
    }
  }
  const auto runs = document.find("runs");
  if (runs == document.end() || !runs->is_array()) {
    reading.fail(path + "/runs", "runs is " + (runs == document.end() ? "missing" : shown(*runs)) +
                                     ". Expected: a list of measured runs.");
    return report;
  }
  read_items(runs->size(), "runs", path + "/runs", reading, [&](std::size_t i, const std::string& at) {
    const Issues issues = add_run((*runs)[i], static_cast<std::int64_t>(i) + 1, at, profile, report);
    reading.issues.insert(reading.issues.end(), issues.begin(), issues.end());
    return issues.empty();
  });
  return report;
}

}  // namespace

Result<Json> validate_lines(std::span<const NamedText> files, const Json& profile) {
  Issues issues = profile_issues(profile);
  if (!issues.empty()) return issues;
  std::vector<FileReport> reports;
  for (const NamedText& file : files) {
    reports.push_back(read_lines(file, profile, issues));
    if (issues.size() >= most_issues) break;
  }
  if (!issues.empty()) return capped(std::move(issues));
  return write_validation(reports);
}

Result<Json> validate_command(const Json& request) {
  Reading reading;
  report_unknown_fields(request, "", request_fields, reading);
  const Json profile = request.contains("profile") ? request["profile"] : Json(nullptr);
  if (request.contains("profile") && profile.is_null()) reading.fail("/profile", "profile is null. Leave it out.");
  const Issues wrong_profile = profile_issues(profile);
  reading.issues.insert(reading.issues.end(), wrong_profile.begin(), wrong_profile.end());
  const auto files = request.find("files");
  if (files == request.end() || !files->is_array()) {
    reading.fail("/files", "files is " + (files == request.end() ? "missing" : shown(*files)) +
                               ". Expected: a list of objects with file and runs.");
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  std::vector<FileReport> reports;
  for (std::size_t i = 0; i < files->size(); ++i) reports.push_back(read_file((*files)[i], i, profile, reading));
  if (!reading.issues.empty()) return std::move(reading.issues);
  return write_validation(reports);
}

}  // namespace meshgauge
