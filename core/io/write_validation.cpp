// The answer to `validate`: per file, per family and overall, and every run.
#include "core/io/write_validation.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "core/io/write_value.hpp"
#include "core/validate/summary.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// Statistics of nothing are null.
Json write_errors(const ErrorSummary& errors) {
  const auto number = [&](double value) { return errors.n > 0 ? rounded_number(value) : Json(nullptr); };
  Json json;
  json["n"] = errors.n;
  json["mean"] = number(errors.mean);
  json["median"] = number(errors.median);
  json["p90"] = number(errors.p90);
  json["max"] = number(errors.max);
  json["bias"] = number(errors.bias);
  json["coverage"] = number(errors.coverage);
  return json;
}

Json write_fits(const FitCounts& fits) {
  return {{"n", fits.n},
          {"right", fits.right},
          {"out_of_memory", fits.out_of_memory},
          {"false_fits", fits.false_fits},
          {"false_ooms", fits.false_ooms},
          {"brier", fits.n > 0 ? rounded_number(fits.brier) : Json(nullptr)}};
}

void write_summary(const std::vector<RunComparison>& runs, Json& json) {
  const SetSummary summary = summarise(std::span<const RunComparison>(runs));
  json["runs"] = runs.size();
  json["step_time"] = write_errors(summary.step_time);
  json["collective_time"] = write_errors(summary.collective_time);
  json["kernel_time"] = write_errors(summary.kernel_time);
  Json& memory = json["memory"];
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
    memory[std::string(name_of(static_cast<MemoryKind>(kind)))] = write_errors(summary.memory[kind]);
  }
  memory["all"] = write_errors(summary.all_memory);
  json["fits"] = write_fits(summary.fits);
}

/// `number` is how predicted amounts are written: seconds in six digits, bytes exactly.
Json write_comparison(const Comparison& c, Json (*number)(double)) {
  Json json;
  json["predicted"] = number(c.predicted);
  json["measured"] = exact_number(c.measured);
  json["error"] = rounded_number(c.error());
  json["low"] = number(c.low);
  json["high"] = number(c.high);
  json["within"] = c.within();
  return json;
}

Json write_row(const ComparedRun& row) {
  const RunComparison& c = row.comparison;
  Json json;
  json["id"] = row.run.id;
  json["line"] = row.line;
  json["family"] = row.run.family;
  json["source"] = row.run.source;
  json["rank"] = name_of(row.run.measured.rank);
  if (c.step) json["step_time"] = write_comparison(*c.step, rounded_number);
  if (c.collective) json["collective_time"] = write_comparison(*c.collective, rounded_number);
  if (c.kernel) json["kernel_time"] = write_comparison(*c.kernel, rounded_number);
  Json& memory = json["memory"] = Json::object();
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
    if (!c.memory[kind]) continue;
    memory[std::string(name_of(static_cast<MemoryKind>(kind)))] = write_comparison(*c.memory[kind], exact_number);
  }
  if (c.fits) {
    json["fits"] = {{"predicted", c.fits->predicted},
                    {"measured", c.fits->measured},
                    {"right", c.fits->right()},
                    {"probability", rounded_number(c.fits->probability)}};
  }
  return json;
}

struct Family {
  std::string name;
  std::vector<RunComparison> runs;
};

/// Rows of one name each, in the order in which they appear.
class Families {
 public:
  void add(const std::string& name, const RunComparison& comparison) {
    const auto [place, is_new] = places_.try_emplace(name, list_.size());
    if (is_new) list_.push_back({name, {}});
    list_[place->second].runs.push_back(comparison);
  }
  [[nodiscard]] const std::vector<Family>& list() const { return list_; }

 private:
  std::vector<Family> list_;
  std::unordered_map<std::string, std::size_t> places_;
};

Families families_of(const FileReport& report) {
  Families families;
  for (const ComparedRun& row : report.rows) families.add(row.run.family, row.comparison);
  return families;
}

Json write_median(const std::vector<ErrorSummary>& families) {
  const MedianFamily typical = median_family(families);
  if (typical.families == 0) return nullptr;
  return {
      {"families", typical.families}, {"median", rounded_number(typical.median)}, {"p90", rounded_number(typical.p90)}};
}

/// Of collectives and kernels, whose sources differ a hundredfold in their number of rows.
Json write_median_family(const FileReport& report) {
  std::vector<ErrorSummary> collectives, kernels;
  const Families families = families_of(report);
  for (const Family& family : families.list()) {
    const SetSummary summary = summarise(std::span<const RunComparison>(family.runs));
    collectives.push_back(summary.collective_time);
    kernels.push_back(summary.kernel_time);
  }
  return {{"collective_time", write_median(collectives)}, {"kernel_time", write_median(kernels)}};
}

/// Collectives by operation, size and reach, kernels by operation and GPU.
Json write_groups(const FileReport& report) {
  std::vector<std::string> order;
  std::unordered_map<std::string, Families> groups;
  for (const ComparedRun& row : report.rows) {
    for (const Label& label : row.labels) {
      if (groups.find(label.by) == groups.end()) order.push_back(label.by);
      groups[label.by].add(label.name, row.comparison);
    }
  }
  Json json = Json::object();
  for (const std::string& by : order) {
    Json& list = json[by] = Json::array();
    for (const Family& group : groups[by].list()) {
      const SetSummary summary = summarise(std::span<const RunComparison>(group.runs));
      list.push_back({{"name", group.name},
                      {"collective_time", write_errors(summary.collective_time)},
                      {"kernel_time", write_errors(summary.kernel_time)}});
    }
  }
  return json;
}

Json write_file(const FileReport& report) {
  Json json;
  json["file"] = report.name;
  std::vector<RunComparison> runs;
  for (const ComparedRun& row : report.rows) runs.push_back(row.comparison);
  write_summary(runs, json);
  const Families families = families_of(report);
  Json& list = json["families"] = Json::array();
  for (const Family& family : families.list()) {
    Json& entry = list.emplace_back(Json::object());
    entry["family"] = family.name;
    write_summary(family.runs, entry);
  }
  json["median_family"] = write_median_family(report);
  json["groups"] = write_groups(report);
  Json& skipped = json["skipped"] = Json::array();
  for (const SkippedRun& run : report.skipped) {
    skipped.push_back({{"id", run.id}, {"line", run.line}, {"reason", run.reason}});
  }
  Json& rows = json["rows"] = Json::array();
  for (const ComparedRun& row : report.rows) rows.push_back(write_row(row));
  return json;
}

}  // namespace

Json write_validation(const std::vector<FileReport>& reports) {
  Json json;
  json["ok"] = true;
  Json& files = json["files"] = Json::array();
  std::vector<RunComparison> all;
  std::size_t skipped = 0;
  for (const FileReport& report : reports) {
    files.push_back(write_file(report));
    for (const ComparedRun& row : report.rows) all.push_back(row.comparison);
    skipped += report.skipped.size();
  }
  Json& overall = json["overall"];
  write_summary(all, overall);
  overall["skipped"] = skipped;
  return json;
}

}  // namespace meshgauge
