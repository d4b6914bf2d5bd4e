// The command `groups`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "native/cli/command.hpp"
#include "native/cli/scenario_answer.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

/// "0-7", "0, 4, 8": runs of consecutive ranks are shortened.
std::string ranks_text(const Json& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1].get<std::int64_t>() == ranks[last].get<std::int64_t>() + 1)
      ++last;
    if (!text.empty()) text += ", ";
    text += ranks[i].dump();
    if (last > i + 1) text += '-' + ranks[last].dump();
    if (last == i + 1) last = i;
    i = last + 1;
  }
  return '[' + text + ']';
}

/// "8 inside a node, 24 between nodes"
std::string links_text(const Json& links) {
  std::string text;
  for (const auto& [key, name] :
       {std::pair{"inside_node", "inside a node"}, std::pair{"between_nodes", "between nodes"},
        std::pair{"between_blocks", "between blocks"}}) {
    const auto count = links[key].get<std::int64_t>();
    if (count > 0) text += (text.empty() ? "" : ", ") + grouped(static_cast<double>(count)) + ' ' + name;
  }
  return text;
}

/// "16 ranks 8 apart": how to go on from the groups that are listed.
std::string pattern_text(const Json& strides) {
  std::string text;
  for (const Json& s : strides) {
    text +=
        (text.empty() ? "" : " x ") + s["size"].dump() + (s["stride"] == 1 ? " in a row" : " by " + s["stride"].dump());
  }
  return text.empty() ? "one" : text;
}

std::string groups_report(const Json& answer) {
  std::string out =
      fmt::format("{} ranks on {} nodes of {} GPUs, order {}\n", grouped(answer["world_size"]),
                  grouped(answer["nodes"]), answer["gpus_per_node"].dump(), answer["order"].get<std::string>());
  for (const Json& kind : answer["groups"]) {
    out += fmt::format("\n{}: {}\n", kind["group"].get<std::string>(), kind["purpose"].get<std::string>());
    out += "  " +
           wrapped(fmt::format("{} {} of {} ranks, up to {} in one node; {}", grouped(kind["count"]),
                               kind["count"] == 1 ? "group" : "groups", grouped(kind["size"]),
                               grouped(kind["most_in_one_node"]), links_text(kind["links"])),
                   2, 2) +
           '\n';
    std::string list;
    for (const Json& ranks : kind["ranks"]) list += (list.empty() ? "" : " ") + ranks_text(ranks);
    if (kind["ranks"].size() < kind["count"].get<std::size_t>()) {
      list += (list.empty() ? "ranks " : " ... ranks ") + pattern_text(kind["pattern"]["members"]) + ", groups from " +
              pattern_text(kind["pattern"]["starts"]);
    }
    out += "  " + wrapped(list, 2, 2) + '\n';
  }
  return out;
}

}  // namespace

int run_groups(std::span<const std::string> arguments) {
  CLI::App app("Which ranks talk to each other, over which links.", "meshgauge groups");
  ScenarioInput input;
  std::string order;
  bool all = false, json = false;
  add_scenario_flags(app, input);
  app.add_option("--order", order, "tp-cp-ep-dp-pp, or tp-cp-ep-pp-dp (Megatron-LM's --use-tp-pp-dp-mapping).");
  app.add_flag("--all", all, "Lists every group.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  Json request{{"command", "groups"}};
  if (!order.empty()) request["order"] = order;
  if (all) request["all"] = true;
  const ScenarioAnswer asked = ask_about_scenario(std::move(request), input, parsed, json);
  if (!asked.answer) return asked.status;
  return print(json ? asked.text + '\n' : groups_report(*asked.answer), done);
}

}  // namespace meshgauge::cli
