// The command `band`.
#include "core/io/band.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/commands.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/band_report.hpp"
#include "native/cli/cluster_flags.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/quantity.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_total = std::size_t{1} << 30U;  ///< bytes of all files together

struct Flags {
  std::vector<std::string> paths;
  std::string operation, size, busbw, nvls;
  std::optional<std::int64_t> ranks, ranks_per_node;
  ClusterFlags cluster;
  bool json = false;
};

void add_flags(CLI::App& app, Flags& f) {
  app.add_option("FILE", f.paths,
                 "Logs of nccl-tests and others; - for standard input. Without one a figure is judged:");
  app.add_option("--operation", f.operation, "all_reduce, all_gather, ...");
  app.add_option("--size", f.size, "Message size as nccl-tests counts it: 1GiB, 1e9.");
  app.add_option("--busbw", f.busbw, "What was measured, GB/s.");
  app.add_option("--ranks", f.ranks, "Ranks of the group.");
  app.add_option("--ranks-per-node", f.ranks_per_node, "Those in one node.");
  add_cluster_flags(app, f.cluster);
  app.add_option("--nvls", f.nvls, "on or off, if it is known whether the switches added up.")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_flag("--json", f.json, "Prints the answer as JSON.");
}

Json request_of(const Flags& f, Issues& issues) {
  Json request = {{"command", "band"}}, place = Json::object();
  if (Json cluster = cluster_of(f.cluster, issues); !cluster.empty()) request["cluster"] = std::move(cluster);
  if (!f.nvls.empty()) request["in_switch"] = f.nvls == "on";
  if (const auto size = positive("--size", f.size, parse_bytes(f.size), "1GiB", issues)) request["bytes"] = *size;
  if (const auto bus = positive("--busbw", f.busbw, parse_bytes(f.busbw), "370", issues))
    request["bus_bytes_per_second"] = *bus * 1e9;
  Json& group = f.paths.empty() ? request : place;
  if (!f.operation.empty()) group[f.paths.empty() ? "collective" : "operation"] = f.operation;
  if (f.ranks) group["ranks"] = *f.ranks;
  if (f.ranks_per_node) group["ranks_per_node"] = *f.ranks_per_node;
  if (!place.empty()) request["place"] = std::move(place);
  return request;
}

std::vector<FlagOfPath> flags_of_paths(const Flags& f) {
  std::vector<FlagOfPath> flags = measured_flags(f.paths.empty() ? "" : "/place");
  flags.insert(flags.end(), {{"/collective", "--operation"},
                             {"/bytes", "--size"},
                             {"/bus_bytes_per_second", "--busbw"},
                             {"/cluster", "--system"}});
  return flags;
}

/// Whether anything is low with whatever algorithm ran.
bool anything_low(const Json& answer) {
  const Json& groups = answer["groups"];
  return std::any_of(groups.begin(), groups.end(), [](const Json& group) { return group["verdict"] == "low"; });
}

}  // namespace

int run_band(std::span<const std::string> arguments) {
  CLI::App app("Which bus bandwidth is normal, and why one is not.", "meshgauge band");
  Flags f;
  add_flags(app, f);
  f.json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Issues issues = issues_of(parsed.bad);
  const Json request = request_of(f, issues);
  const Result<std::vector<std::string>> texts = read_texts(f.paths, largest_total);
  issues.insert(issues.end(), texts.issues.begin(), texts.issues.end());
  if (!issues.empty()) return refuse(issues, f.json);
  const Result<Json> answer =
      f.paths.empty() ? band_command(request) : band_files(named_texts(f.paths, *texts.value), request);
  if (!answer.ok()) return refuse(answer.issues, f.json, flags_of_paths(f));
  const std::string text = f.json ? as_text(*answer.value) + '\n' : band_report(*answer.value, Style::of_terminal());
  return print(text, anything_low(*answer.value) ? answer_is_no : done);
}

}  // namespace meshgauge::cli
