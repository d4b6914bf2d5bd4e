// The command `band`.
#include "core/io/band.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/api.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/band_report.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/quantity.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_total = std::size_t{1} << 30U;  ///< bytes of all files together

struct Flags {
  std::vector<std::string> paths;
  std::string system, gpu, topology, network, operation, size, busbw, network_rate, nvls;
  std::optional<std::int64_t> ranks, ranks_per_node, gpus_per_node;
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
  app.add_option("--system", f.system, "Server type of the catalog.");
  app.add_option("--gpu", f.gpu, "GPU of the catalog, instead of --system.");
  app.add_option("--gpus-per-node", f.gpus_per_node, "With --gpu.");
  app.add_option("--topology", f.topology, "With --gpu: what joins a node's GPUs: nvswitch, nvlink-mesh, ...");
  app.add_option("--network", f.network, "Kind of network between nodes: IB, RoCE, EFA, Ethernet, ...");
  app.add_option("--network-rate", f.network_rate, "Of each GPU, bytes per second: 50e9 for 400 Gb/s.");
  app.add_option("--nvls", f.nvls, "on or off, if it is known whether the switches added up.")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_flag("--json", f.json, "Prints the answer as JSON.");
}

std::optional<double> positive(const std::string& text, const char* flag, const char* example, Issues& issues) {
  if (text.empty()) return std::nullopt;
  const auto value = parse_bytes(text);
  if (value && *value > 0) return value;
  issues.push_back({"", std::string(flag) + " is " + in_quotes(text) + ". Allowed: above 0, such as " + example + '.'});
  return std::nullopt;
}

Json request_of(const Flags& f, Issues& issues) {
  Json request = {{"command", "band"}}, cluster = Json::object(), place = Json::object();
  if (!f.system.empty()) cluster["system"] = f.system;
  if (!f.gpu.empty()) cluster["gpu"] = f.gpu;
  if (f.gpus_per_node) cluster["gpus_per_node"] = *f.gpus_per_node;
  if (!f.topology.empty()) cluster["intra_node_topology"] = f.topology;
  if (!f.network.empty()) cluster["network"] = f.network;
  if (const auto rate = positive(f.network_rate, "--network-rate", "50e9", issues)) {
    cluster["inter_node_bytes_per_second"] = *rate;
  }
  if (!cluster.empty()) request["cluster"] = std::move(cluster);
  if (!f.nvls.empty()) request["in_switch"] = f.nvls == "on";
  if (const auto size = positive(f.size, "--size", "1GiB", issues)) request["bytes"] = *size;
  if (const auto bus = positive(f.busbw, "--busbw", "370", issues)) request["bus_bytes_per_second"] = *bus * 1e9;
  Json& group = f.paths.empty() ? request : place;
  if (!f.operation.empty()) group[f.paths.empty() ? "collective" : "operation"] = f.operation;
  if (f.ranks) group["ranks"] = *f.ranks;
  if (f.ranks_per_node) group["ranks_per_node"] = *f.ranks_per_node;
  if (!place.empty()) request["place"] = std::move(place);
  return request;
}

constexpr auto flag_of_path = std::to_array<std::pair<const char*, const char*>>({
    {"/collective", "--operation"},
    {"/place/operation", "--operation"},
    {"/bytes", "--size"},
    {"/bus_bytes_per_second", "--busbw"},
    {"/ranks", "--ranks"},
    {"/place/ranks", "--ranks"},
    {"/ranks_per_node", "--ranks-per-node"},
    {"/place/ranks_per_node", "--ranks-per-node"},
    {"/cluster/system", "--system"},
    {"/cluster/gpu", "--gpu"},
    {"/cluster/gpus_per_node", "--gpus-per-node"},
    {"/cluster/intra_node_topology", "--topology"},
    {"/cluster/network", "--network"},
    {"/cluster/inter_node_bytes_per_second", "--network-rate"},
    {"/cluster", "--system"},
});

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
  Result<Json> answer = Json();
  if (f.paths.empty()) {
    answer = Json::parse(api(request.dump()));
    if (!(*answer.value)["ok"].get<bool>()) {
      for (const Json& issue : (*answer.value)["issues"]) {
        answer.issues.push_back({issue["path"].get<std::string>(), issue["message"].get<std::string>()});
      }
      answer.value.reset();
    }
  } else {
    std::vector<NamedText> files;
    for (std::size_t i = 0; i < f.paths.size(); ++i) files.push_back({f.paths[i], (*texts.value)[i]});
    answer = band_files(files, request);
  }
  std::vector<FlagOfPath> flags;
  for (const auto& [path, flag] : flag_of_path) flags.push_back({path, flag});
  if (!answer.ok()) return refuse(answer.issues, f.json, flags);
  const std::string text = f.json ? answer.value->dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'
                                  : band_report(*answer.value, Style::of_terminal());
  return print(text, anything_low(*answer.value) ? answer_is_no : done);
}

}  // namespace meshgauge::cli
