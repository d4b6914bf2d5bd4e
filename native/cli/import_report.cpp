#include "native/cli/import_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_runs = 40;    ///< of a file
constexpr std::size_t most_unread = 10;  ///< lines of a file
constexpr std::string_view columns = "  {:<22} {:>7} {:>9} {:>9} {:>11} {:>14}\n";

std::string text(const Json& value) { return value.get<std::string>(); }
std::string item(const std::string& words) { return "  - " + wrapped(words, 4, 4) + '\n'; }

/// What the rows of one operation, link or kind of kernel have in common.
struct Group {
  std::vector<double> bytes, seconds, rates, tokens;
  double memory = 0;
};

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string name_of_row(const Json& row) {
  const std::string kind = text(row["kind"]);
  if (kind == "collective") return row.value("operation", "not named");
  if (kind == "kernel") return text(row["op"]) + (row.contains("format") ? ' ' + text(row["format"]) : "");
  if (kind == "link") return text(row["link"]) + (row.value("both_directions", false) ? ", both ways" : "");
  return "training step";
}

void add(Group& group, const Json& row) {
  if (const double bytes = row.value("bytes", 0.0); bytes > 0) group.bytes.push_back(bytes);
  const double seconds = row.value("seconds", row.value("latency_seconds", 0.0));
  if (seconds > 0) group.seconds.push_back(seconds);
  const bool moves = row["kind"] == "collective" || row["kind"] == "kernel";
  const double rate = row.value("bytes_per_second", moves && seconds > 0 ? row.value("bytes", 0.0) / seconds : 0.0);
  if (rate > 0) group.rates.push_back(rate);
  if (const double tokens = row.value("tokens_per_second_per_gpu", 0.0); tokens > 0) group.tokens.push_back(tokens);
  group.memory = std::max({group.memory, row.value("allocated_bytes", 0.0), row.value("reserved_bytes", 0.0)});
}

std::string place_text(const Json& place) {
  std::string out = place.value("gpu", place.value("cpu", false) ? "processors" : "GPU not stated");
  if (place.contains("ranks")) {
    const auto ranks = place["ranks"].get<std::int64_t>();
    out += fmt::format(", {} {}", number_text(ranks), ranks == 1 ? "rank" : "ranks");
  }
  if (place.contains("ranks_per_node")) {
    out += fmt::format(", {} a node", number_text(place["ranks_per_node"].get<std::int64_t>()));
  }
  return place.contains("library") ? out + ", " + text(place["library"]) : out;
}

std::string question_text(const Json& questions) {
  std::string flags;
  for (const Json& question : questions) {
    std::string flag = text(question);
    std::replace(flag.begin(), flag.end(), '_', '-');
    flags += (flags.empty() ? "--" : ", --") + flag;
  }
  return "Not stated: say it with " + flags + '.';
}

std::string run_text(const Json& run, const Style& style) {
  std::string out = fmt::format("\n{} (line {})\n", style(Paint::strong, text(run["tool"])), run["first_line"].dump());
  out += "  " + wrapped(place_text(run["place"]), 2, 2) + '\n';
  std::vector<std::pair<std::string, Group>> groups;
  for (const Json& row : run["measurements"]) {
    const std::string name = name_of_row(row);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
    add(found->second, row);
  }
  if (!groups.empty()) {
    out += fmt::format(fmt::runtime(columns), "", "times", "from", "to", "median", "best rate");
  }
  for (const auto& [name, group] : groups) {
    const auto [least, most] = std::minmax_element(group.bytes.begin(), group.bytes.end());
    const std::size_t count = std::max({group.seconds.size(), group.rates.size(), group.tokens.size(), std::size_t{1}});
    const std::string rate =
        !group.tokens.empty() ? grouped(middle(group.tokens)) + " tok/s/GPU"
        : !group.rates.empty()
            ? fmt::format("{:.2f} GB/s", *std::max_element(group.rates.begin(), group.rates.end()) / 1e9)
            : "-";
    out += fmt::format(fmt::runtime(columns), name, number_text(static_cast<std::int64_t>(count)),
                       group.bytes.empty() ? "-" : size_text(*least), group.bytes.empty() ? "-" : size_text(*most),
                       group.seconds.empty() ? "-" : duration_text(middle(group.seconds)), rate);
    if (group.memory > 0) out += fmt::format("  {:<22} {:>7} GiB\n", "  peak memory", gib_text(group.memory, 2));
  }
  for (const Json& note : run["notes"]) out += item(text(note));
  if (!run["questions"].empty()) out += item(style(Paint::warn, question_text(run["questions"])));
  return out;
}

std::string file_text(const Json& file, const Style& style) {
  std::string out = file["tool"].is_null() ? fmt::format("{}: {}\n", text(file["name"]),
                                                         style(Paint::no, "no tool's output is recognised"))
                                           : text(file["name"]) + '\n';
  std::size_t shown = 0;
  for (const Json& run : file["runs"]) {
    if (shown++ == most_runs) break;
    out += run_text(run, style);
  }
  if (file["runs"].size() > most_runs) {
    out += fmt::format("\nand {} further runs\n", file["runs"].size() - most_runs);
  }
  const auto left_out = file["measurements_left_out"].get<std::int64_t>();
  if (left_out > 0) out += fmt::format("\n{} further measurements are not kept.\n", number_text(left_out));
  const Json& unread = file["unread"];
  if (unread.empty()) return out;
  const auto all = static_cast<std::int64_t>(unread.size()) + file["unread_left_out"].get<std::int64_t>();
  out += '\n' + style(Paint::warn, number_text(all) + (all == 1 ? " line" : " lines") + " not read") + '\n';
  for (std::size_t i = 0; i < unread.size() && i < most_unread; ++i) {
    out += "  " +
           wrapped(fmt::format("line {}: {} {}", unread[i]["line"].dump(), text(unread[i]["reason"]),
                               in_quotes(text(unread[i]["text"]))),
                   4, 2) +
           '\n';
  }
  if (unread.size() > most_unread) out += "  and more, all of them with --json\n";
  return out;
}

}  // namespace

std::string import_report(const Json& answer, const Style& style) {
  std::string out;
  for (const Json& file : answer["files"]) out += (out.empty() ? "" : "\n") + file_text(file, style);
  return out;
}

}  // namespace meshgauge::cli
