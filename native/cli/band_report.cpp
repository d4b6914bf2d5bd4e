#include "native/cli/band_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 12;    ///< of a log's sizes
constexpr std::size_t most_sources = 6;  ///< named

std::string text(const Json& value) { return value.get<std::string>(); }
double number(const Json& value) { return value.get<double>(); }

/// "478", "36.7", "3.15", "0.0013": GB/s in three digits.
std::string gbs(const Json& value) {
  const double rate = number(value) / 1e9;
  if (rate < 1) return fmt::format("{:.2g}", rate);
  return fmt::format("{:.{}f}", rate, rate >= 100 ? 0 : rate >= 10 ? 1 : 2);
}

std::string painted(const Style& style, const std::string& verdict, int wide) {
  const Paint paint = verdict == "normal" ? Paint::ok : verdict == "low" ? Paint::no : Paint::warn;
  return style(paint, fmt::format("{:<{}}", verdict, wide));
}

std::string algorithm_words(const Json& band) {
  if (band["algorithm"].is_null()) return "";
  return band["algorithm"] == "nvls" ? "with NVLS" : "without NVLS";
}

std::string title(const Json& group, const Style& style) {
  const auto ranks = group["ranks"].get<std::int64_t>(), share = group["ranks_per_node"].get<std::int64_t>();
  std::string out = fmt::format("{}, {} x {}", text(group["collective"]), number_text(ranks), text(group["gpu"]));
  out += ranks == share ? " in a node"
                        : fmt::format(", {} a node, {} at {} GB/s a GPU", number_text(share), text(group["network"]),
                                      gbs(group["network_bytes_per_second"]));
  out = style(Paint::strong, out) + '\n';
  if (!group["name"].is_null()) out = fmt::format("{}, line {}: ", text(group["name"]), group["line"].dump()) + out;
  return out;
}

std::string band_lines(const Json& group, const Style& style) {
  const bool measured = !group["bus_bytes_per_second"].is_null();
  std::string out;
  if (measured) {
    out += fmt::format("  {} GB/s bus bandwidth at {}\n", gbs(group["bus_bytes_per_second"]),
                       size_text(number(group["bytes"])));
  } else {
    out += fmt::format("  bus bandwidth at {}, GB/s\n", size_text(number(group["bytes"])));
  }
  for (const Json& band : group["bands"]) {
    const std::string verdict = measured ? painted(style, text(band["verdict"]), 7) : "";
    const std::string published =
        band["published"].empty() ? "nothing published"
        : number(band["published_low"]) == number(band["published_high"])
            ? "published " + gbs(band["published_low"])
            : fmt::format("published {} to {}", gbs(band["published_low"]), gbs(band["published_high"]));
    out += fmt::format("  {:<13}{}{}normal is {} to {} ({}, model {})\n", algorithm_words(band), verdict,
                       measured ? " " : "", gbs(band["low"]), gbs(band["high"]), published, gbs(band["model"]));
  }
  return out;
}

/// The sizes of a log, thinned to those that fit.
std::string row_table(const Json& group, const Style& style) {
  const Json& rows = group["rows"];
  if (rows.size() < 2) return "";
  const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
  std::string out = fmt::format("\n  {:>10} {:>10} {:>17}\n", "size", "GB/s", "normal");
  for (std::size_t i = (rows.size() - 1) % step; i < rows.size(); i += step) {
    if (!rows[i].contains("verdict")) continue;
    out += fmt::format("  {:>10} {:>10} {:>17}  {}\n", size_text(number(rows[i]["bytes"])),
                       gbs(rows[i]["bus_bytes_per_second"]),
                       fmt::format("{} to {}", gbs(rows[i]["low"]), gbs(rows[i]["high"])),
                       painted(style, text(rows[i]["verdict"]), 0));
  }
  return out;
}

std::string cause_lines(const Json& group, const Style& style) {
  if (group["causes"].empty()) return "";
  std::string out = "\n  Likely, in this order\n";
  std::size_t count = 0;
  for (const Json& cause : group["causes"]) {
    out += fmt::format("  {}. {}\n", ++count, wrapped(text(cause["message"]), 5, 5));
    out += "     " + wrapped(style(Paint::ok, text(cause["command"])), 5, 5) + '\n';
  }
  return out;
}

std::string source_lines(const Json& group) {
  std::set<std::string> seen;
  std::string out;
  for (const Json& band : group["bands"]) {
    for (const Json& one : band["published"]) {
      if (!seen.insert(text(one["source"])).second || seen.size() > most_sources) continue;
      out += "  - " + wrapped(text(one["source"]), 4, 4) + '\n';
    }
  }
  if (seen.size() > most_sources) out += fmt::format("  - and {} more (--json)\n", seen.size() - most_sources);
  return out.empty() ? "" : "\n  Published in\n" + out;
}

}  // namespace

std::string band_report(const Json& answer, const Style& style) {
  std::string out;
  for (const Json& group : answer["groups"]) {
    out += (out.empty() ? "" : "\n") + title(group, style) + band_lines(group, style) + row_table(group, style) +
           cause_lines(group, style) + source_lines(group);
  }
  for (const Json& one : answer["skipped"]) {
    const std::string line = one["line"].is_null() ? "" : ", line " + one["line"].dump();
    out += (out.empty() ? "" : "\n") + text(one["name"]) + line + ": " + style(Paint::warn, "not judged") + "\n  " +
           wrapped(text(one["reason"]), 2, 2) + '\n';
  }
  return out;
}

}  // namespace meshgauge::cli
