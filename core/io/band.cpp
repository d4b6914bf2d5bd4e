// The command `band`: a collective, or logs of some, in; which bus bandwidth is normal, and why one is not, out.
#include "core/io/band.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/diagnose/nccl/finding.hpp"
#include "core/diagnose/nccl/log.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/import.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/write_band.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields =
    std::to_array<std::string_view>({"command", "files", "place", "cluster", "collective", "bytes", "ranks",
                                     "ranks_per_node", "bus_bytes_per_second", "in_switch", "profile"});
constexpr FieldText collective_field{.key = "collective", .help = "Which."};
constexpr FieldText bytes_field{"bytes", "bytes", 1, 1e15, "", "As nccl-tests counts them."};
constexpr FieldText bus_field{"bus_bytes_per_second", "bytes/s", 1, 1e15, "", "What was measured."};
constexpr FieldText ranks_field{"ranks", "ranks", 2, limit::gpus, "", "Ranks of the group."};
constexpr FieldText per_node_field{"ranks_per_node", "ranks", 1, limit::gpus, "", "Those in one node."};
constexpr FieldText switch_field{.key = "in_switch", .help = "Whether the switches add up (NVLS)."};

std::optional<double> number_of(const Json& request, const FieldText& field, Reading& reading) {
  const auto value = request.find(field.key);
  if (value == request.end()) return std::nullopt;
  return number_in_range(*value, field, '/' + std::string(field.key), reading);
}

void check_fields(const Json& request, Reading& reading) {
  report_unknown_fields(request, "", request_fields, reading);
  if (request.contains("cluster")) (void)expect_object(request["cluster"], "cluster", "/cluster", reading);
}

/// A group as the machine's nodes hold it.
std::optional<Cluster> cluster_of(Json section, const Route& route, Issues& issues) {
  if (!section.contains("gpus")) section["gpus"] = route.size;
  if (!section.contains("system") && !section.contains("gpus_per_node")) section["gpus_per_node"] = route.in_node();
  Result<Cluster> cluster = read_cluster(section);
  issues.insert(issues.end(), cluster.issues.begin(), cluster.issues.end());
  return std::move(cluster.value);
}

Result<Json> answer_question(const Json& request, Reading& reading) {
  BandQuestion question;
  const Json section =
      request.contains("cluster") && request["cluster"].is_object() ? request["cluster"] : Json::object();
  if (!request.contains("collective")) {
    reading.fail("/collective", "collective is missing. Allowed: " + list_text(all_names<Collective>()) + '.');
  } else if (const auto choice = read_choice(request["collective"], collective_field, all_names<Collective>(),
                                             "/collective", reading)) {
    question.collective = static_cast<Collective>(*choice);
  }
  const auto bytes = number_of(request, bytes_field, reading), bus = number_of(request, bus_field, reading);
  const auto ranks = count_at(request, ranks_field, "", reading),
             share = count_at(request, per_node_field, "", reading);
  if (!request.contains("bytes"))
    reading.fail("/bytes", "bytes is missing. Expected: the size, as nccl-tests counts it.");
  if (!request.contains("ranks")) reading.fail("/ranks", "ranks is missing. Expected: the size of the group.");
  if (request.contains("in_switch")) {
    question.in_switch = read_boolean(request["in_switch"], switch_field, "/in_switch", reading);
  }
  if (!section.contains("system") && !section.contains("gpu")) {
    reading.fail("/cluster", "The cluster names no hardware. Set cluster.system or cluster.gpu.");
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  question.bytes = *bytes;
  question.route.size = *ranks;
  Json probe = section;
  probe["gpus"] = question.route.size;
  const Result<Cluster> machine = read_cluster(probe);
  if (!machine.ok()) return machine.issues;
  question.route.per_node = share ? *share : std::min(question.route.size, machine.value->gpus_per_node);
  const std::optional<Profile> profile = read_asked_profile(request, *machine.value, reading);
  if (!profile) return std::move(reading.issues);
  BandReport report{*machine.value, question, {}, 0, {}};
  if (bus) report.rows.push_back({question.bytes, *bus});
  return Json{{"ok", true},
              {"schema_version", schema_version},
              {"groups", Json::array({write_band(report, *profile)})},
              {"skipped", Json::array()}};
}

/// Whether an all-reduce can have gone through the switches, by NCCL's own lines in the file.
std::optional<bool> in_switch_by(const NcclLog& log) {
  const auto set = [&](std::string_view name, std::string_view value) {
    return nccl::variable_set(log, name, value) != nullptr;
  };
  const bool ring = set("NCCL_ALGO", "RING") || set("NCCL_ALGO", "Ring") || set("NCCL_ALGO", "ring");
  if (ring || set("NCCL_NVLS_ENABLE", "0") || log.nvls_channels == 0) return false;
  if (log.nvls_channels > 0) return true;
  return std::nullopt;
}

struct Logs {
  Json groups = Json::array(), skipped = Json::array();
};

void skip(Logs& logs, const NamedText& file, const ImportedRun& run, std::string reason) {
  logs.skipped.push_back({{"name", file.name}, {"line", run.first_line}, {"reason", std::move(reason)}});
}

/// The rows of one collective in a run, out of place where both are there, the fastest of each size.
std::map<double, double> rows_of(const ImportedRun& run, Collective collective) {
  std::map<double, double> out_of_place, in_place;
  for (const Measurement& one : run.measurements) {
    const auto* measured = std::get_if<MeasuredCollective>(&one.what);
    if (measured == nullptr || measured->collective != collective || measured->wrong > 0) continue;
    double& time = (measured->in_place ? in_place : out_of_place)[measured->bytes];
    if (time == 0 || measured->seconds.value < time) time = measured->seconds.value;
  }
  return out_of_place.empty() ? in_place : out_of_place;
}

void add_run(const NamedText& file, const ImportedRun& run, const Json& request, std::optional<bool> in_switch,
             Logs& logs, Reading& reading) {
  const Place& place = run.place;
  Json section = request.value("cluster", Json::object());
  if (!section.contains("system") && !section.contains("gpu") && !place.gpu.empty()) section["gpu"] = place.gpu;
  if (!section.contains("system") && !section.contains("gpu")) {
    return skip(logs, file, run, "It does not say which GPU: name it, or the system.");
  }
  if (place.ranks < 2) return skip(logs, file, run, "It does not say how many ranks, or has one: name them.");
  const Route route{.size = place.ranks, .per_node = place.ranks_per_node > 0 ? place.ranks_per_node : place.ranks};
  if (place.ranks_per_node == 0) return skip(logs, file, run, "It does not say how many ranks a node: name them.");
  if (route.spans_nodes() && !section.contains("system") && !section.contains("network")) {
    return skip(logs, file, run, "It does not say what joins the nodes: name the system, or the network and its rate.");
  }
  Issues issues;
  const auto cluster = cluster_of(section, route, issues);
  if (!cluster) {
    return skip(logs, file, run, issues.empty() ? "The machine is not known." : issues.front().message);
  }
  const std::optional<Profile> profile = read_asked_profile(request, *cluster, reading);
  if (!profile) return;
  for (std::size_t i = 0; i < all_names<Collective>().size(); ++i) {
    const auto collective = static_cast<Collective>(i);
    BandReport report{*cluster, {collective, 0, route, in_switch}, {}, 0, {}};
    for (const auto& [bytes, seconds] : rows_of(run, collective)) {
      report.rows.push_back({bytes, wire_factor(collective, route.size) * bytes / seconds});
    }
    if (report.rows.empty()) continue;
    report.question.bytes = report.rows.back().bytes;
    report.name = file.name;
    report.line = run.first_line;
    logs.groups.push_back(write_band(report, *profile));
  }
}

}  // namespace

Result<Json> band_files(std::span<const NamedText> files, const Json& request) {
  Reading reading;
  check_fields(request, reading);
  const KnownPlace known = read_place(request.value("place", Json(nullptr)), "/place", reading);
  for (const std::string_view key : {"collective", "bytes", "ranks", "ranks_per_node", "bus_bytes_per_second"}) {
    if (!request.contains(key)) continue;
    reading.fail('/' + std::string(key),
                 std::string(key) + " stands beside files, which say it. Leave it out, or put it into place.");
  }
  std::optional<bool> asked;
  if (request.contains("in_switch")) asked = read_boolean(request["in_switch"], switch_field, "/in_switch", reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  Logs logs;
  for (const NamedText& file : files) {
    const Imported imported = import_text(file.text, known);
    if (imported.runs.empty()) {
      logs.skipped.push_back({{"name", file.name}, {"line", nullptr}, {"reason", "No tool's output is recognised."}});
      continue;
    }
    const std::optional<bool> in_switch = asked ? asked : in_switch_by(read_nccl_log(file.text));
    for (const ImportedRun& run : imported.runs) {
      const bool collectives =
          std::any_of(run.measurements.begin(), run.measurements.end(),
                      [](const Measurement& one) { return std::holds_alternative<MeasuredCollective>(one.what); });
      if (collectives) {
        add_run(file, run, request, in_switch, logs, reading);
      } else {
        skip(logs, file, run, run.notes.empty() ? "It times no collective." : run.notes.front());
      }
    }
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  return Json{{"ok", true},
              {"schema_version", schema_version},
              {"groups", std::move(logs.groups)},
              {"skipped", std::move(logs.skipped)}};
}

Result<Json> band_command(const Json& request) {
  Reading reading;
  check_fields(request, reading);
  if (!request.contains("files")) {
    if (request.contains("place")) reading.fail("/place", "place is for files. Set cluster, ranks and ranks_per_node.");
    return answer_question(request, reading);
  }
  const std::vector<NamedText> files = read_named_texts(request, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return band_files(files, request);
}

}  // namespace meshgauge
