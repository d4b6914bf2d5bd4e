#include "native/harness/preflight.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "native/harness/command.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {
namespace {

namespace files = std::filesystem;

std::string line_of(const files::path& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

std::vector<files::path> entries(const files::path& folder) {
  std::vector<files::path> list;
  std::error_code none;
  for (const auto& entry : files::directory_iterator(folder, none)) list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

std::string joined(std::span<const Interface> list, bool fast_only) {
  std::string text;
  for (const Interface& i : list) {
    if (fast_only && !i.up) continue;
    text += (text.empty() ? "" : ",") + i.name;
  }
  return text;
}

std::string described(std::span<const Interface> list) {
  std::string text;
  for (const Interface& i : list) {
    text += fmt::format("{}{} {} {}{}", text.empty() ? "" : ", ", i.name, i.kind, i.up ? "up" : "down",
                        i.bits_per_second > 0 ? fmt::format(" {:g} Gb/s", i.bits_per_second / 1e9) : "");
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::vector<Interface> interfaces_below(const std::string& root) {
  std::vector<Interface> list;
  for (const files::path& path : entries(files::path(root) / "class/net")) {
    Interface i{path.filename(), false, 0, "ethernet"};
    const std::string state = line_of(path / "operstate");
    i.up = state == "up" || state == "unknown";  // drivers without a carrier to look at say unknown
    // linux/if_arp.h: 772 is ARPHRD_LOOPBACK, 32 ARPHRD_INFINIBAND.
    const std::string type = line_of(path / "type");
    if (type == "772") i.kind = "loopback";
    if (type == "32") i.kind = "IPoIB";
    // What no hardware is behind: bridges of containers, tunnels.
    if (i.kind == "ethernet" && !files::exists(path / "device")) i.kind = "virtual";
    i.bits_per_second = std::max(0.0, std::atof(line_of(path / "speed").c_str())) * 1e6;  // Mb/s; -1: not known
    list.push_back(i);
  }
  return list;
}

std::vector<Interface> ports_below(const std::string& root) {
  std::vector<Interface> list;
  for (const files::path& adapter : entries(files::path(root) / "class/infiniband")) {
    for (const files::path& port : entries(adapter / "ports")) {
      Interface i{adapter.filename().string() + ':' + port.filename().string(), false, 0, line_of(port / "link_layer")};
      i.up = line_of(port / "state").find("ACTIVE") != std::string::npos;   // "4: ACTIVE"
      i.bits_per_second = std::atof(line_of(port / "rate").c_str()) * 1e9;  // "400 Gb/sec (4X NDR)"
      list.push_back(i);
    }
  }
  return list;
}

std::vector<std::string> advice(std::span<const Interface> interfaces, std::span<const Interface> ports) {
  std::vector<std::string> lines;
  std::vector<Interface> real, fast;
  for (const Interface& i : interfaces) {
    if (i.up && (i.kind == "ethernet" || i.kind == "IPoIB")) real.push_back(i);
  }
  double rate = 0;
  for (const Interface& p : ports) rate = p.up ? std::max(rate, p.bits_per_second) : rate;
  for (const Interface& p : ports) {
    if (p.up && p.bits_per_second == rate) fast.push_back(p);
  }
  if (!real.empty() && real.size() < interfaces.size()) {
    const std::string names = joined(real, true);
    lines.push_back("export NCCL_SOCKET_IFNAME=" + names + "      # bootstrap and TCP: not bridges of containers");
    lines.push_back("export OMPI_MCA_btl_tcp_if_include=" + names + "      # the same for Open MPI");
  }
  if (!fast.empty() && fast.size() < ports.size()) {
    lines.push_back("export NCCL_IB_HCA==" + joined(fast, true) +
                    "      # the fastest ports that are up, exactly these");
  }
  if (!fast.empty() && fast.front().kind == "Ethernet") {
    lines.emplace_back("export NCCL_IB_GID_INDEX=3      # RoCE v2 on most systems; show_gids tells");
  }
  if (ports.empty()) {
    lines.emplace_back(
        "export NCCL_IB_DISABLE=1      # no adapter: spares the search, and says so if one was expected");
  }
  return lines;
}

int run_preflight(std::string_view name, std::span<const std::string> arguments) {
  CLI::App app("Which ranks there are, on what, and over which interfaces they can talk.",
               "meshgauge-bench " + std::string(name));
  CommonOptions options;
  add_common_flags(app, options);
  if (const auto status = read_flags(app, arguments)) return *status;
  return with_ranks(options, [](Runtime& runtime) {
    const std::vector<Interface> interfaces = interfaces_below("/sys"), ports = ports_below("/sys");
    const std::vector<std::string> devices = runtime.gather(runtime.device->name());
    const std::vector<std::string> hosts = runtime.gather(host_name());
    const std::vector<std::string> networks =
        runtime.gather("interfaces: " + described(interfaces) + "\n  adapters: " + described(ports));
    if (!runtime.leads()) return done;
    fmt::print("{} rank{} on {} node{}, backend {} ({}), started by {}\n", runtime.size, runtime.size == 1 ? "" : "s",
               runtime.nodes, runtime.nodes == 1 ? "" : "s", runtime.backend, runtime.library_version,
               runtime.launcher);
    std::map<std::string, std::string> nodes_of;  // nodes that are alike are said once
    for (std::size_t r = 0; r < hosts.size(); ++r) {
      fmt::print("  rank {:>3} on {}: {}\n", r, hosts[r], devices[r]);
      std::string& list = nodes_of[networks[r]];
      if (list.find(hosts[r]) == std::string::npos) list += (list.empty() ? "" : ", ") + hosts[r];
    }
    for (const auto& [network, nodes] : nodes_of) fmt::print("{}\n  {}\n", nodes, network);
    if (nodes_of.size() > 1) fmt::print("The nodes differ: the slowest decides.\n");
    for (const std::string& line : advice(interfaces, ports)) fmt::print("  {}\n", line);
    return done;
  });
}

}  // namespace meshgauge::harness
