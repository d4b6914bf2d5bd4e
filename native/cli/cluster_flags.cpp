#include "native/cli/cluster_flags.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"
#include "native/cli/quantity.hpp"

namespace meshgauge::cli {

void add_cluster_flags(CLI::App& app, ClusterFlags& f) {
  app.add_option("--system", f.system, "Server type of the catalog that was measured.");
  app.add_option("--gpu", f.gpu, "GPU that was measured, instead of --system; cpu for ranks on processors.");
  app.add_option("--gpus-per-node", f.gpus_per_node, "Where nothing else says it.")->check(CLI::Range(1, 1'000'000));
  app.add_option("--topology", f.topology, "With --gpu: what joins a node's GPUs: nvswitch, nvlink-mesh, ...");
  app.add_option("--network", f.network, "Kind of network between nodes: IB, RoCE, EFA, Ethernet, ...");
  app.add_option("--network-rate", f.network_rate, "Of each GPU, bytes per second: 50e9 for 400 Gb/s.");
}

nlohmann::ordered_json cluster_of(const ClusterFlags& f, Issues& issues) {
  nlohmann::ordered_json cluster = nlohmann::ordered_json::object();
  if (!f.system.empty()) cluster["system"] = f.system;
  if (!f.gpu.empty()) cluster["gpu"] = f.gpu;
  if (f.gpus_per_node) cluster["gpus_per_node"] = *f.gpus_per_node;
  if (!f.topology.empty()) cluster["intra_node_topology"] = f.topology;
  if (!f.network.empty()) cluster["network"] = f.network;
  if (const auto rate = positive("--network-rate", f.network_rate, parse_bytes(f.network_rate), "50e9", issues)) {
    cluster["inter_node_bytes_per_second"] = *rate;
  }
  return cluster;
}

std::vector<FlagOfPath> measured_flags(const std::string& group) {
  return {{"/cluster/system", "--system"},
          {"/cluster/gpu", "--gpu"},
          {"/cluster/gpus_per_node", "--gpus-per-node"},
          {"/cluster/intra_node_topology", "--topology"},
          {"/cluster/network", "--network"},
          {"/cluster/inter_node_bytes_per_second", "--network-rate"},
          {group + "/operation", "--operation"},
          {group + "/ranks", "--ranks"},
          {group + "/ranks_per_node", "--ranks-per-node"}};
}

std::optional<double> positive(const char* flag, const std::string& text, std::optional<double> value,
                               const char* example, Issues& issues) {
  if (text.empty()) return std::nullopt;
  if (value && *value > 0) return value;
  issues.push_back({"", std::string(flag) + " is " + in_quotes(text) + ". Allowed: above 0, such as " + example + '.'});
  return std::nullopt;
}

}  // namespace meshgauge::cli
