#include "native/cli/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 12;  ///< rows of the frontier

double number(const Json& value) { return value.get<double>(); }
std::string text(const Json& value) { return value.get<std::string>(); }
std::string heading(const Style& style, std::string_view title) { return '\n' + style(Paint::strong, title) + '\n'; }

std::string plans_table(const Json& plans, const Style& style) {
  std::string out = style(Paint::strong, " #      step   tokens/s/GPU     MFU   GiB  fits  layout") + '\n';
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Json& plan = plans[i];
    out += wrapped(fmt::format("{:2}  {:>8}  {:>13}  {:>6}  {:>4}  {:>3.0f}%  {}", i + 1,
                               duration_text(number(plan["step_seconds"])),
                               grouped(number(plan["tokens_per_second_per_gpu"])), percent_text(number(plan["mfu"])),
                               gib_text(number(plan["device_bytes"]), 1), 100 * number(plan["fit_probability"]),
                               text(plan["layout"])),
                   50) +
           '\n';
  }
  return out;
}

std::string comparison(const Json& answer, const Style& style) {
  if (!answer.contains("against")) return {};
  const Json& given = answer["against"];
  std::string line = "  " + text(given["layout"]) + ": " + duration_text(number(given["step_seconds"])) + " a step, " +
                     gib_text(number(given["device_bytes"]), 1) + " GiB" +
                     (given["fits"].get<bool>() ? "" : ", does not fit") + ". " +
                     grouped(number(given["grids_with_faster"])) + " of " + grouped(number(answer["search"]["grids"])) +
                     " legal grids of degrees hold something faster.";
  std::string out = heading(style, "The layout given") + wrapped(line, 4) + '\n';
  if (given.contains("text")) out += wrapped("  Against the best: " + text(given["text"]), 4) + '\n';
  return out;
}

std::string frontier_table(const Json& points, const Style& style) {
  if (points.size() < 2) return {};
  std::string out = heading(style, "Time against memory: nothing beats these in both");
  const std::size_t step = std::max<std::size_t>(1, (points.size() + most_points - 1) / most_points);
  for (std::size_t i = 0; i < points.size(); i += step) {
    const Json& p = points[i];
    const bool fits = p["fits"].get<bool>();
    out += wrapped(fmt::format("  {:>8}  {:>6} GiB  {}{}", duration_text(number(p["step_seconds"])),
                               gib_text(number(p["device_bytes"]), 1), fits ? "" : "does not fit: ", text(p["layout"])),
                   24) +
           '\n';
  }
  return out;
}

std::string excluded_table(const Json& excluded, const Style& style) {
  if (excluded.empty()) return {};
  std::string out = heading(style, "Left out, by rule");
  for (const Json& e : excluded) {
    out += wrapped(fmt::format("  {:>6}  {}. {}", grouped(number(e["count"])), text(e["text"]),
                               text(e["nearest"]["message"])),
                   10) +
           '\n';
  }
  return out;
}

std::string paragraph(const Json& list, const Style& style, std::string_view title) {
  if (!list.is_array() || list.empty()) return {};
  std::string out = heading(style, title);
  for (const Json& item : list) out += wrapped("  " + text(item["text"]), 4) + '\n';
  return out;
}

}  // namespace

std::string plan_report(const Json& answer, const Style& style) {
  const Json& reasons = answer["reasons"];
  std::string out;
  if (answer["fits"].get<bool>()) {
    out = plans_table(answer["plans"], style);
  } else {
    out = style(Paint::no, "No layout fits.") + '\n';
  }
  out += comparison(answer, style);
  for (const auto& [key, title] : {std::pair{"decision", "How one gets there"},
                                   {"binding", "What binds"},
                                   {"runner_up", "Why the next one is slower"},
                                   {"misses", "Faster, but does not fit"},
                                   {"sensitivity", "What a tenth more would give"}}) {
    if (reasons.contains(key)) out += paragraph(reasons[key], style, title);
  }
  out += frontier_table(answer["frontier"], style);
  out += excluded_table(answer["excluded"], style);
  const Json& search = answer["search"];
  if (!search["complete"].get<bool>()) {
    out += '\n' + style(Paint::no, "Stopped early: the best so far, better layouts may be left.") + '\n';
  }
  out += '\n' +
         wrapped(fmt::format("{} layouts evaluated in {} legal grids of degrees; {} grids cannot be better, by "
                             "their bound.",
                             grouped(number(search["layouts_evaluated"])), grouped(number(search["grids"])),
                             grouped(number(search["grids_excluded_by_bound"]))),
                 0) +
         '\n';
  return out;
}

}  // namespace meshgauge::cli
