// What a log of NCCL says of a job: versions, nodes, ranks, links, rings, settings and failures.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scenario/names.hpp"

namespace meshgauge {

/// A sentence with the first line that says it and how often it is said.
struct NcclSaying {
  std::string text;
  std::int64_t line = 0;
  std::int64_t times = 0;
};

struct NcclHost {
  std::string name;
  std::vector<std::string> adapters;    ///< as "NET/IB : Using" lists them: "mlx5_0:1/IB"
  std::vector<std::string> interfaces;  ///< of IP: "eth0"
};

struct NcclRank {
  std::int64_t rank = 0;
  std::size_t host = 0;  ///< index into the hosts
  std::int64_t device = -1;
  std::string bus;
  bool started = false, complete = false;
};

/// A communicator.
struct NcclGroup {
  std::string id;  ///< empty before NCCL 2.18, which prints none
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;           ///< 0: not said
  std::int64_t ranks_per_node = 0;  ///< of the node that says it; 0: not said
  std::vector<NcclRank> members;    ///< that the log shows, by rank
  std::int64_t line = 0;
};

enum class NcclTransport { p2p, shared_memory, network, collnet };
MESHGAUGE_NAMES(NcclTransport, "p2p", "shared_memory", "network", "collnet");

/// A way that connections of two ranks take.
struct NcclPath {
  NcclTransport transport = NcclTransport::p2p;
  std::string name;         ///< "P2P/CUMEM", "NET/IB"
  bool gpu_direct = false;  ///< of a network: GDRDMA
  std::int64_t connections = 0;
  std::int64_t line = 0;
  std::set<std::int64_t> adapters;                          ///< of a network, by number
  std::set<std::pair<std::int64_t, std::int64_t>> between;  ///< ranks
};

struct NcclVariable {
  std::string name, value;
  std::int64_t line = 0;
  std::int64_t times = 0;
};

/// Warnings that differ in nothing but their numbers.
struct NcclWarning {
  std::string text;  ///< the first
  std::string where;
  std::int64_t line = 0;
  std::int64_t times = 0;
  std::set<std::size_t> hosts;
};

/// A collective that PyTorch's watchdog gave up.
struct NcclTimeout {
  std::int64_t rank = -1;
  std::int64_t sequence = -1;
  std::string operation;
  std::int64_t elements = -1;  ///< going in
  std::int64_t milliseconds = 0;
  std::int64_t line = 0;
};

/// What the tuner chose for calls of some sizes.
struct NcclChoice {
  std::string algorithm, protocol;
  std::int64_t least = 0, most = 0;  ///< bytes
  std::int64_t times = 0;
};

struct NcclRing {
  std::int64_t channel = 0;
  std::vector<std::int64_t> order;
  std::int64_t line = 0;
};

struct NcclLog {
  std::int64_t lines = 0;  ///< of NCCL or of the watchdog
  std::vector<NcclSaying> versions, networks;
  std::vector<NcclHost> hosts;
  std::vector<NcclGroup> groups;
  std::vector<NcclPath> paths;
  std::vector<NcclRing> rings;  ///< of the largest group
  std::vector<NcclVariable> variables;
  std::vector<NcclSaying> remarks;  ///< informational lines that explain a choice
  std::vector<NcclWarning> warnings;
  std::vector<NcclSaying> errors;  ///< of programs that NCCL failed: "ncclSystemError: ..."
  std::vector<NcclTimeout> timeouts;
  std::vector<NcclChoice> choices;
  std::int64_t channels = -1, collnet_channels = -1, nvls_channels = -1;  ///< -1: not said
  std::optional<bool> trees;                                              ///< beside rings
  std::int64_t nvls_available = 0;                                        ///< devices that say so
  std::int64_t left_out = 0;  ///< sayings, hosts and the like beyond what is kept
};

/// Understands NCCL since 2.4, RCCL and PyTorch's watchdog; logs of several ranks may be mixed line by line.
[[nodiscard]] NcclLog read_nccl_log(std::string_view text);

/// The communicator that everything is said of: the one with most ranks; null without any.
[[nodiscard]] const NcclGroup* largest_group(const NcclLog&);

}  // namespace meshgauge
