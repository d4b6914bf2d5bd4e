// The command `groups`: the process groups of a layout, and the links they cross.
#include "core/launch/groups.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_issues.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "scenario", "order", "all"});
constexpr FieldText order_field{
    .key = "order", .fallback = "tp-cp-ep-dp-pp", .help = "Which degree varies fastest over the ranks, first to last."};
constexpr FieldText all_field{
    .key = "all", .fallback = "false", .help = "Lists every group, not the first ones and the pattern."};
constexpr std::int64_t few_ranks = 64;       // of a kind that are always listed
constexpr std::int64_t first_groups = 4;     // of a kind that are listed without `all`
constexpr std::int64_t longest_group = 64;   // ranks of a group that are listed without `all`
constexpr std::int64_t most_ranks = 200000;  // that an answer lists

Json write_strides(const std::vector<Stride>& strides) {
  Json list = Json::array();
  for (const Stride& s : strides) list.push_back({{"size", s.size}, {"stride", s.stride}});
  return list;
}

Json write_kind(const GroupKind& kind, const Cluster& cluster, bool all) {
  const std::int64_t size = kind.size(), count = kind.count();
  std::array<std::int64_t, all_names<Reach>().size()> reaches{};
  std::int64_t in_node = 0;
  Json ranks = Json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<std::int64_t> group = group_ranks(kind, i);
    ++reaches[static_cast<std::size_t>(group_reach(cluster, group))];
    in_node = std::max(in_node, most_in_one_node(cluster, group));
    if (all || size * count <= few_ranks || (i < first_groups && size <= longest_group)) ranks.push_back(group);
  }
  Json json;
  json["group"] = kind.name;
  json["purpose"] = kind.purpose;
  json["size"] = size;
  json["count"] = count;
  for (std::size_t i = 0; i < reaches.size(); ++i) json["links"][std::string(all_names<Reach>()[i])] = reaches[i];
  json["most_in_one_node"] = in_node;
  json["pattern"] = {{"members", write_strides(kind.members)}, {"starts", write_strides(kind.starts)}};
  json["ranks"] = std::move(ranks);
  return json;
}

}  // namespace

Result<Json> groups_command(const Json& request) {
  Reading reading;
  bool all = false;
  RankOrder order = RankOrder::tp_cp_ep_dp_pp;
  for (const auto& [key, value] : request.items()) {
    if (key == "order") {
      const auto choice = read_choice(value, order_field, all_names<RankOrder>(), "/order", reading);
      if (choice) order = static_cast<RankOrder>(*choice);
    } else if (key == "all") {
      all = read_boolean(value, all_field, "/all", reading).value_or(false);
    } else if (key != "command" && key != "scenario") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  const std::optional<AskedScenario> asked = read_asked_scenario(request, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  const Scenario& s = asked->resolution.scenario;
  Result<std::vector<GroupKind>> kinds = process_groups(s, order);
  if (!kinds.ok()) return std::move(kinds.issues);
  const auto listed = s.cluster.gpus * static_cast<std::int64_t>(kinds.value->size());
  if (all && listed > most_ranks) {
    return Issues{{"/all", "The groups have " + number_text(listed) + " ranks altogether. Allowed: up to " +
                               number_text(most_ranks) + ". Their patterns say the same without all."}};
  }
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["order"] = name_of(order);
  answer["world_size"] = s.cluster.gpus;
  answer["gpus_per_node"] = s.cluster.gpus_per_node;
  answer["nodes"] = s.cluster.nodes();
  Json& groups = answer["groups"] = Json::array();
  for (const GroupKind& kind : *kinds.value) groups.push_back(write_kind(kind, s.cluster, all));
  answer["warnings"] = write_issues(asked->resolution.warnings);
  return {std::move(answer)};
}

}  // namespace meshgauge
