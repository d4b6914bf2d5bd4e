// Flags that say on what something was measured: the cluster of a request.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "native/cli/command.hpp"

namespace CLI {
class App;
}

namespace meshgauge::cli {

struct ClusterFlags {
  std::string system, gpu, topology, network, network_rate;
  std::optional<std::int64_t> gpus_per_node;
};

void add_cluster_flags(CLI::App&, ClusterFlags&);

/// What was said of the cluster, empty if nothing was.
[[nodiscard]] nlohmann::ordered_json cluster_of(const ClusterFlags&, Issues&);

/// The request's fields that these flags set, and those of the group that `--operation`, `--ranks` and
/// `--ranks-per-node` set below `group`.
[[nodiscard]] std::vector<FlagOfPath> measured_flags(const std::string& group);

/// The positive amount of a flag that was given, or what is wrong with it.
[[nodiscard]] std::optional<double> positive(const char* flag, const std::string& text, std::optional<double> value,
                                             const char* example, Issues&);

}  // namespace meshgauge::cli
