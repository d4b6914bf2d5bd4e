// Why each line of a ledger is what it is: formula, numbers, source.
#include "native/cli/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/count/ledger.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& value) { return value.get<double>(); }
std::string text(const Json& value) { return value.get<std::string>(); }

/// "forward to backward", or one by one where others lie between.
std::string phases_text(const Json& phases) {
  const auto all = all_names<Phase>();
  const auto position = [&](const Json& phase) { return std::find(all.begin(), all.end(), text(phase)) - all.begin(); };
  if (phases.size() > 2 && position(phases.back()) - position(phases.front()) + 1 == std::ptrdiff_t(phases.size())) {
    return text(phases.front()) + " to " + text(phases.back());
  }
  std::string list;
  for (const Json& phase : phases) list += (list.empty() ? "" : ", ") + text(phase);
  return list;
}

}  // namespace

std::string substituted(const std::string& formula, const Json& values) {
  std::string out;
  for (std::size_t i = 0; i < formula.size();) {
    std::size_t end = i;
    while (end < formula.size() && (std::isalnum(static_cast<unsigned char>(formula[end])) != 0 || formula[end] == '_'))
      ++end;
    if (end == i) {
      out += formula[i++];
      continue;
    }
    const std::string word = formula.substr(i, end - i);
    out += values.contains(word) ? number_text(number(values[word])) : word;
    i = end;
  }
  return out;
}

std::string explanation(const Json& stage, const Style& style) {
  std::string out;
  for (const char* list : {"lines", "other_lines"}) {
    for (const Json& line : stage[list]) {
      const std::string phases = phases_text(line["phases"]);
      out += style(Paint::strong, text(line["name"])) + " (" + phases + ")\n";
      out += "  " + wrapped(text(line["formula"]), 4, 2) + '\n';
      out += "  " + wrapped("= " + substituted(text(line["formula"]), line["values"]), 4, 2) + '\n';
      out += fmt::format("  = {} B = {}\n", grouped(number(line["bytes"])), size_text(number(line["bytes"])));
      out += "  " + wrapped("source: " + text(line["source"]), 4, 2) + '\n';
    }
  }
  return out;
}

std::string traffic_explanation(const Json& traffic, std::int64_t stage, const Style& style) {
  std::string out;
  for (const Json& t : traffic) {
    if (t["first_stage"].get<std::int64_t>() > stage || t["last_stage"].get<std::int64_t>() < stage) continue;
    const double whole = number(t["message_seconds"]);
    const double latency = number(t["latency_seconds"]), transfer = number(t["transfer_seconds"]);
    std::string how = "algorithm unknown (not NCCL)";
    if (!t["algorithm"].is_null()) {
      const auto channels = t["channels"].get<std::int64_t>();
      how = fmt::format("{}, {}, {} channel{}", text(t["algorithm"]), text(t["protocol"]), channels,
                        channels == 1 ? "" : "s");
    }
    out += style(Paint::strong, text(t["id"])) + " (" + text(t["collective"]) + ")\n";
    out += "  " + wrapped(how + "; bound by " + text(t["bound_by"]), 4, 2) + '\n';
    out += "  " +
           wrapped(fmt::format("a message: {} = latency {} + transfer {} + lost between them {}", duration_text(whole),
                               duration_text(latency), duration_text(transfer),
                               duration_text(std::max(0.0, whole - latency - transfer))),
                   4, 2) +
           '\n';
    out += "  " + wrapped("source: " + text(t["source"]), 4, 2) + '\n';
  }
  return out;
}

}  // namespace meshgauge::cli
