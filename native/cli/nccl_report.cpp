#include "native/cli/nccl_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/diagnose/nccl/finding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_hosts = 8;       ///< with a line of their own
constexpr std::size_t most_variables = 8;   ///< shown
constexpr std::size_t most_named = 4;       ///< hosts of a finding
constexpr std::size_t most_evidence = 130;  ///< characters

std::string text(const Json& value) { return value.get<std::string>(); }

/// "ranks 0-7": the ranks of a list of JSON numbers.
std::string ranges(const Json& list) {
  auto numbers = list.get<std::vector<std::int64_t>>();
  std::sort(numbers.begin(), numbers.end());
  return nccl::ranges_text(numbers);
}

std::string counted(std::int64_t count, const char* one) {
  return number_text(count) + ' ' + one + (count == 1 ? "" : "s");
}

std::string title(const Json& nccl, const Style& style) {
  std::string out = nccl["versions"].empty() ? "NCCL, version not said" : text(nccl["versions"][0]["text"]);
  if (!nccl["ranks"].is_null()) out += ", " + counted(nccl["ranks"].get<std::int64_t>(), "rank");
  if (!nccl["nodes"].is_null()) out += " on " + counted(nccl["nodes"].get<std::int64_t>(), "node");
  return style(Paint::strong, out) + '\n';
}

std::string host_lines(const Json& nccl) {
  const Json& hosts = nccl["hosts"];
  std::size_t wide = 4;
  for (const Json& host : hosts) wide = std::max(wide, std::min<std::size_t>(text(host["name"]).size(), 24));
  std::string out;
  std::size_t shown = 0;
  for (const Json& host : hosts) {
    if (host["ranks"].empty() && host["adapters"].empty()) continue;
    if (shown++ == most_hosts) {
      out += fmt::format("  and {} more nodes\n", hosts.size() - most_hosts);
      break;
    }
    const std::string name = text(host["name"]).empty() ? "node" : shortened(text(host["name"]));
    std::string line = fmt::format("{:<{}}", name, wide);
    if (!host["ranks"].empty())
      line += fmt::format("  rank {:<9} GPU {:<6}", ranges(host["ranks"]), ranges(host["devices"]));
    if (!host["adapters"].empty()) {
      line += fmt::format(" {}: {}{}", counted(static_cast<std::int64_t>(host["adapters"].size()), "adapter"),
                          text(host["adapters"][0]), host["adapters"].size() > 1 ? " ..." : "");
    }
    while (line.back() == ' ') line.pop_back();
    out += "  " + line + '\n';
  }
  return out;
}

std::string row(const char* name, const std::string& words) {
  return words.empty() ? "" : fmt::format("  {:<10}{}\n", name, wrapped(words, 12, 12));
}

/// The links, those of one place behind one another.
std::string path_lines(const Json& nccl) {
  std::string between, inside;
  for (const Json& path : nccl["paths"]) {
    const bool network = path["transport"] == "network" || path["transport"] == "collnet";
    std::string& to = network ? between : inside;
    to +=
        (to.empty() ? "" : ", ") + text(path["name"]) + (path["gpu_direct"].get<bool>() ? " with GPUDirect RDMA" : "");
    if (!path["adapters"].empty()) to += " (" + ranges(path["adapters"]) + ')';
  }
  if (between.empty() && !nccl["networks"].empty()) between = text(nccl["networks"][0]["text"]);
  std::string channels;
  if (!nccl["channels"].is_null()) channels = nccl["channels"].dump();
  if (!nccl["nvls_channels"].is_null()) channels += ", NVLS " + nccl["nvls_channels"].dump();
  if (!nccl["trees"].is_null() && !channels.empty()) {
    channels += nccl["trees"].get<bool>() ? ", rings and trees" : ", rings alone";
  }
  std::string choices;
  for (const Json& one : nccl["choices"]) {
    choices +=
        fmt::format("{}{} {} {} to {}", choices.empty() ? "" : ", ", text(one["algorithm"]), text(one["protocol"]),
                    size_text(one["least_bytes"].get<double>()), size_text(one["most_bytes"].get<double>()));
  }
  std::string variables;
  std::size_t shown = 0;
  for (const Json& one : nccl["variables"]) {
    if (shown++ == most_variables) {
      variables += fmt::format(" and {} more", nccl["variables"].size() - most_variables);
      break;
    }
    variables += (variables.empty() ? "" : " ") + text(one["name"]) + '=' + shortened(text(one["value"]));
  }
  return row("network", between) + row("in nodes", inside) + row("channels", channels) + row("tuner", choices) +
         row("set", variables);
}

/// "line 12", "line 3 of rank-1.log".
std::string place_of(const Json& line, const Json& files) {
  if (files.is_null()) return "line " + line.dump();
  const auto number = line.get<std::int64_t>();
  const Json* in = &files[0];
  for (const Json& file : files) {
    if (file["first_line"].get<std::int64_t>() <= number) in = &file;
  }
  return fmt::format("line {} of {}", number - (*in)["first_line"].get<std::int64_t>() + 1, text((*in)["name"]));
}

std::string finding_lines(const Json& finding, const Json& files, const Style& style) {
  const bool follows = finding["consequence"].get<bool>();
  const std::string severity = !follows                     ? text(finding["severity"])
                               : finding["id"] == "warning" ? "warning"
                                                            : "follows";
  const Paint paint = severity == "failure" ? Paint::no : severity == "slow" ? Paint::warn : Paint::strong;
  const std::size_t indent = 9;
  std::string out =
      '\n' + style(paint, fmt::format("{:<9}", severity)) + wrapped(text(finding["message"]), indent, indent) + '\n';
  if (!finding["line"].is_null()) {
    const auto times = finding["times"].get<std::int64_t>();
    std::string evidence = text(finding["evidence"]);
    if (text(finding["message"]).rfind(evidence, 0) == 0) evidence.clear();  // said already
    if (evidence.size() > most_evidence) evidence = evidence.substr(0, most_evidence - 3) + "...";
    std::string where = place_of(finding["line"], files);
    if (times > 1) where += fmt::format(", {} times", number_text(times));
    const Json& hosts = finding["hosts"];
    for (std::size_t i = 0; i < hosts.size() && i < most_named; ++i) {
      where += (i == 0 ? ", on " : ", ") + shortened(text(hosts[i]));
    }
    if (hosts.size() > most_named) where += fmt::format(" and {} more", hosts.size() - most_named);
    out += std::string(indent, ' ') + wrapped(where + (evidence.empty() ? "" : ": " + evidence), indent, indent) + '\n';
  }
  for (const Json& one : finding["set"]) {
    const std::string what = one["value"].is_null() ? "unset " + text(one["variable"])
                                                    : "set " + text(one["variable"]) + '=' + text(one["value"]);
    out += std::string(indent, ' ') + wrapped(style(Paint::ok, what) + ": " + text(one["why"]), indent, indent) + '\n';
  }
  return out;
}

std::string next_lines(const Json& next, const Style& style) {
  std::string out = '\n' + style(Paint::strong, "Next") + '\n';
  std::size_t number = 0;
  for (const Json& step : next) {
    out += fmt::format("{:>2}  {}\n", ++number, style(Paint::ok, text(step["command"])));
    out += "    " + wrapped(text(step["why"]), 4, 4) + '\n';
  }
  return out;
}

}  // namespace

std::string nccl_report(const Json& nccl, const Json& files, const Style& style) {
  std::string out = title(nccl, style) + host_lines(nccl) + path_lines(nccl);
  for (const Json& finding : nccl["findings"]) out += finding_lines(finding, files, style);
  if (nccl["findings"].empty()) {
    const bool silent = nccl["paths"].empty();
    out += '\n' +
           (silent ? style(Paint::warn, "The log does not say over which links data goes.")
                   : style(Paint::ok, "Nothing is wrong by this log.")) +
           '\n';
  }
  const auto left_out = nccl["left_out"].get<std::int64_t>();
  if (left_out > 0) out += fmt::format("\n{} further sayings of the log are not kept.\n", number_text(left_out));
  return out + next_lines(nccl["next"], style);
}

}  // namespace meshgauge::cli
