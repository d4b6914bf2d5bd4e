#include "core/io/write_nccl.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/diagnose/nccl/finding.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rings = 4;     ///< shown: the others are turned ones
constexpr std::size_t most_hosts = 1024;  ///< shown

Json or_null(std::int64_t value, std::int64_t none) { return value == none ? Json(nullptr) : Json(value); }

Json write_sayings(const std::vector<NcclSaying>& sayings) {
  Json list = Json::array();
  for (const NcclSaying& one : sayings) list.push_back({{"text", one.text}, {"line", one.line}, {"times", one.times}});
  return list;
}

/// Each node with the ranks of the largest communicator that it holds.
Json write_hosts(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  std::vector<Json> ranks(log.hosts.size(), Json::array()), devices = ranks;
  if (group != nullptr) {
    for (const NcclRank& rank : group->members) {
      ranks[rank.host].push_back(rank.rank);
      devices[rank.host].push_back(rank.device);
    }
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < log.hosts.size() && i < most_hosts; ++i) {
    list.push_back({{"name", log.hosts[i].name},
                    {"ranks", std::move(ranks[i])},
                    {"devices", std::move(devices[i])},
                    {"adapters", log.hosts[i].adapters},
                    {"interfaces", log.hosts[i].interfaces}});
  }
  return list;
}

/// As NCCL says it, else counted where every rank is seen; 0: not known.
std::int64_t nodes_of(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  if (group == nullptr || group->nodes > 0) return group == nullptr ? 0 : group->nodes;
  if (group->members.size() != static_cast<std::size_t>(group->ranks)) return 0;
  std::set<std::size_t> hosts;
  for (const NcclRank& rank : group->members) hosts.insert(rank.host);
  return static_cast<std::int64_t>(hosts.size());
}

Json write_groups(const NcclLog& log) {
  Json list = Json::array();
  for (const NcclGroup& group : log.groups) {
    const auto complete =
        std::count_if(group.members.begin(), group.members.end(), [](const NcclRank& rank) { return rank.complete; });
    list.push_back({{"id", group.id.empty() ? Json(nullptr) : Json(group.id)},
                    {"line", group.line},
                    {"ranks", group.ranks},
                    {"nodes", or_null(group.nodes, 0)},
                    {"ranks_per_node", or_null(group.ranks_per_node, 0)},
                    {"ranks_seen", group.members.size()},
                    {"ranks_complete", complete}});
  }
  return list;
}

Json write_paths(const NcclLog& log) {
  Json list = Json::array();
  for (const NcclPath& path : log.paths) {
    list.push_back({{"transport", name_of(path.transport)},
                    {"name", path.name},
                    {"gpu_direct", path.gpu_direct},
                    {"connections", path.connections},
                    {"adapters", path.adapters},
                    {"line", path.line}});
  }
  return list;
}

Json write_rings(const NcclLog& log) {
  Json list = Json::array();
  for (std::size_t i = 0; i < log.rings.size() && i < most_rings; ++i) {
    list.push_back({{"channel", log.rings[i].channel}, {"order", log.rings[i].order}, {"line", log.rings[i].line}});
  }
  return list;
}

Json write_choices(const NcclLog& log) {
  Json list = Json::array();
  for (const NcclChoice& one : log.choices) {
    list.push_back({{"algorithm", one.algorithm},
                    {"protocol", one.protocol},
                    {"least_bytes", one.least},
                    {"most_bytes", one.most},
                    {"times", one.times}});
  }
  return list;
}

Json write_checks(const std::vector<NcclCheck>& checks) {
  Json list = Json::array();
  for (const NcclCheck& one : checks) list.push_back({{"command", one.command}, {"why", one.why}});
  return list;
}

Json write_finding(const NcclFinding& finding) {
  Json settings = Json::array();
  for (const NcclSetting& one : finding.settings) {
    settings.push_back(
        {{"variable", one.variable}, {"value", one.value.empty() ? Json(nullptr) : Json(one.value)}, {"why", one.why}});
  }
  return {{"id", finding.id},
          {"severity", name_of(finding.severity)},
          {"consequence", finding.consequence},
          {"message", finding.message},
          {"evidence", finding.evidence},
          {"line", or_null(finding.line, 0)},
          {"times", finding.times},
          {"hosts", finding.hosts},
          {"set", std::move(settings)},
          {"check", write_checks(finding.checks)},
          {"source", finding.source}};
}

}  // namespace

Json write_nccl(const NcclLog& log) {
  const NcclGroup* const group = largest_group(log);
  Json variables = Json::array();
  for (const NcclVariable& one : log.variables) {
    variables.push_back({{"name", one.name}, {"value", one.value}, {"line", one.line}, {"times", one.times}});
  }
  const std::vector<NcclFinding> found = nccl_findings(log);
  Json findings = Json::array();
  for (const NcclFinding& one : found) findings.push_back(write_finding(one));
  Json json;
  json["lines"] = log.lines;
  json["versions"] = write_sayings(log.versions);
  json["ranks"] = group == nullptr ? Json(nullptr) : Json(group->ranks);
  json["nodes"] = or_null(nodes_of(log), 0);
  json["hosts"] = write_hosts(log);
  json["groups"] = write_groups(log);
  json["networks"] = write_sayings(log.networks);
  json["paths"] = write_paths(log);
  json["channels"] = or_null(log.channels, -1);
  json["nvls_channels"] = or_null(log.nvls_channels, -1);
  json["collnet_channels"] = or_null(log.collnet_channels, -1);
  json["trees"] = log.trees ? Json(*log.trees) : Json(nullptr);
  json["rings"] = write_rings(log);
  json["choices"] = write_choices(log);
  json["variables"] = std::move(variables);
  json["remarks"] = write_sayings(log.remarks);
  json["findings"] = std::move(findings);
  json["next"] = write_checks(nccl_steps(log, found));
  json["left_out"] = log.left_out;
  return json;
}

}  // namespace meshgauge
