// An estimate as tables for a terminal of 80 columns: verdict, memory, ledger, step, traffic, run, warnings.
#include "native/cli/estimate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/count/ledger.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/explanation.hpp"
#include "native/cli/handbook_report.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_stages = 16;  ///< rows of the stage table

double number(const Json& value) { return value.get<double>(); }
std::string text(const Json& value) { return value.get<std::string>(); }

const Json& binding_stage(const Json& answer) {
  const Json& memory = answer["memory"];
  return memory["stages"][memory["binding"]["stage"].get<std::size_t>()];
}

std::string heading(const Style& style, std::string_view title) { return '\n' + style(Paint::strong, title) + '\n'; }

/// Parameters, gradients and optimizer states: what no batch or sequence setting changes.
double state_bytes(const Json& stage) {
  double sum = 0;
  for (const Json& line : stage["lines"]) {
    const std::string category = text(line["category"]);
    if (category == "parameters" || category == "gradients" || category == "optimizer") sum += number(line["bytes"]);
  }
  return sum;
}

std::string verdict(const Json& answer, const Style& style) {
  const Json& memory = answer["memory"];
  const double needed = number(memory["needed_bytes"]);
  const double capacity = number(memory["capacity_bytes"]);
  const double probability = number(answer["fit_probability"]);
  const bool fits = answer["fits"].get<bool>();
  const bool uncertain = probability > 0.05 && probability < 0.95;
  const std::string word = uncertain ? style(Paint::warn, "Uncertain")
                           : fits    ? style(Paint::ok, "Fits")
                                     : style(Paint::no, "Does not fit");
  std::string line =
      fmt::format("{}: {} of {} GiB on the fullest GPU, stage {} in {}.\n", word, gib_text(needed, 1),
                  gib_text(capacity, 1), memory["binding"]["stage"].dump(), text(memory["binding"]["phase"]));
  if (!fits) line += fmt::format("{} GiB over; ", gib_text(needed - capacity, 1));
  // The ends stand for "nearly": a prediction is never certain.
  const std::string likely = probability >= 0.99   ? "> 99"
                             : probability <= 0.01 ? "< 1"
                                                   : fmt::format("{:.0f}", probability * 100);
  line += fmt::format("{} % likely to fit; needs {} to {} GiB", likely, gib_text(number(memory["needed_low_bytes"]), 1),
                      gib_text(number(memory["needed_high_bytes"]), 1));
  // The allocator keeps freed blocks and gives them back before memory runs out.
  const double device = number(memory["device_bytes"]);
  line += device > needed ? fmt::format("; nvidia-smi shows {}.\n", gib_text(device, 1)) : ".\n";
  const double states = state_bytes(binding_stage(answer));
  if (!fits && states > capacity) {
    line += wrapped(fmt::format(
                        "Parameters, gradients and optimizer alone need {} GiB: no batch or sequence setting helps.",
                        gib_text(states, 1)),
                    0) +
            '\n';
  }
  return line;
}

std::string scenario_lines(const Json& answer) {
  const Json& s = answer["scenario"];
  const Json& p = s["parallelism"];
  const Json& t = s["training"];
  const Json& c = s["cluster"];
  const double parameters = number(answer["model"]["parameters"]);
  const double active = number(answer["model"]["active_parameters"]);
  std::string model = fmt::format("{}, {} parameters", text(answer["model"]["name"]), count_text(parameters));
  if (active < parameters) model += fmt::format(" ({} active)", count_text(active));
  std::string layout =
      fmt::format("TP {} x PP {} x CP {} x DP {}", p["tensor_parallel_size"].dump(), p["pipeline_parallel_size"].dump(),
                  p["context_parallel_size"].dump(), p["data_parallel_size"].dump());
  if (p["virtual_pipeline_size"] != 1) layout += ", VPP " + p["virtual_pipeline_size"].dump();
  if (p["expert_parallel_size"] != 1) layout += ", EP " + p["expert_parallel_size"].dump();
  layout += ", ZeRO " + p["zero_stage"].dump();
  const double unit = number(t["micro_batch_size"]) * number(p["data_parallel_size"]);
  const std::string hardware = c.contains("system") ? text(c["system"]) : text(c["gpu"]);
  std::string out;
  out += wrapped(fmt::format("{}; {} GPUs of {}", model, grouped(number(c["gpus"])), hardware), 0) + '\n';
  out +=
      wrapped(fmt::format("{}, {}, {}; {}", text(t["engine"]), text(t["precision"]), text(t["optimizer"]), layout), 0) +
      '\n';
  out +=
      wrapped(fmt::format("sequence {}; batch {} = {} x {} accumulation x {} DP", grouped(number(t["sequence_length"])),
                          grouped(number(t["global_batch_size"])), grouped(number(t["micro_batch_size"])),
                          grouped(number(t["global_batch_size"]) / unit), grouped(number(p["data_parallel_size"]))),
              0) +
      '\n';
  return out;
}

/// Of a phase's column, so that all of them fit into a line.
int phase_width(std::string_view phase) { return std::max(8, static_cast<int>(phase.size()) + 2); }

/// Consecutive stages with the same figures share a row.
std::string stage_table(const Json& answer, const Style& style) {
  const Json& stages = answer["memory"]["stages"];
  const auto binding = answer["memory"]["binding"]["stage"].get<std::size_t>();
  std::string out = heading(style, "Memory per GPU by phase, GiB");
  out += fmt::format("{:<9}{:>7}", "stage", "layers");
  for (const std::string_view phase : all_names<Phase>()) out += fmt::format("{:>{}}", phase, phase_width(phase));
  out += '\n';
  struct Row {
    std::size_t first, last;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool same = i > 0 && stages[i]["phases"] == stages[i - 1]["phases"] &&
                      stages[i]["layers"] == stages[i - 1]["layers"] && i != binding && i - 1 != binding;
    if (same) {
      rows.back().last = i;
    } else {
      rows.push_back({i, i});
    }
  }
  std::size_t left_out = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row row = rows[r];
    const bool shown =
        rows.size() <= most_stages || r < most_stages - 3 || r + 1 == rows.size() || row.first == binding;
    if (!shown) {
      left_out += row.last - row.first + 1;
      continue;
    }
    const Json& stage = stages[row.first];
    std::string name = row.first == row.last ? fmt::format("{}", row.first) : fmt::format("{}-{}", row.first, row.last);
    if (row.first == binding) name += " *";
    out += fmt::format("{:<9}{:>7}", name, stage["layers"].dump());
    for (const auto& [phase, bytes] : stage["phases"].items()) {
      out += fmt::format("{:>{}}", bytes == 0 ? "-" : gib_text(number(bytes), 2), phase_width(phase));
    }
    out += '\n';
  }
  if (left_out > 0) out += fmt::format("{} more stages (--json lists them)\n", left_out);
  const Json& others = answer["memory"]["other_phases"];
  std::string rest = fmt::format("* decides. First step {} GiB, evaluation {}, saving {}, resuming {}.",
                                 gib_text(number(others["first_step"]), 1), gib_text(number(others["evaluation"]), 1),
                                 gib_text(number(others["save"]), 1), gib_text(number(others["resume"]), 1));
  const double host = number(answer["memory"]["host_bytes_per_node"]);
  if (host > 0) rest += fmt::format(" The host of each node holds {} GiB.", gib_text(host, 1));
  return out + wrapped(rest, 0) + '\n';
}

std::string ledger_row(std::string_view category, std::string_view name, double bytes, double total) {
  const double share = total > 0 ? bytes / total * 100 : 0;
  return fmt::format("{:<12} {:<48.48} {:>9} {:>7}\n", category, name, bytes < 5368709 ? "< 0.01" : gib_text(bytes, 2),
                     share < 1 ? "< 1 %" : fmt::format("{:.0f} %", share));
}

std::string ledger_table(const Json& answer, const Style& style) {
  const Json& stage = binding_stage(answer);
  const double total = number(stage["device_bytes"]);
  std::string out =
      heading(style, fmt::format("Ledger of stage {} in {}", stage["stage"].dump(), text(stage["peak_phase"])));
  out += fmt::format("{:<12} {:<48} {:>9} {:>7}\n", "", "", "GiB", "share");
  std::string outside;
  std::string previous;
  const auto add = [&](const Json& line, std::string& into) {
    const std::string category = text(line["category"]);
    into += ledger_row(category == previous ? "" : category, text(line["name"]), number(line["bytes"]), total);
    previous = category;
  };
  for (const Json& line : stage["lines"]) {
    if (line["category"] != "overhead") add(line, out);
  }
  out += style(Paint::strong, fmt::format("{:<61} {:>9}", "allocated", gib_text(number(stage["allocated_bytes"]), 2))) +
         '\n';
  for (const Json& line : stage["lines"]) {
    if (line["category"] == "overhead" && line["id"] == "allocator_reserve") add(line, out);
  }
  out += style(Paint::strong, fmt::format("{:<61} {:>9}", "reserved", gib_text(number(stage["reserved_bytes"]), 2))) +
         '\n';
  for (const Json& line : stage["lines"]) {
    if (line["category"] == "overhead" && line["id"] != "allocator_reserve") add(line, out);
  }
  return out + style(Paint::strong, fmt::format("{:<61} {:>9}", "device", gib_text(total, 2))) + '\n';
}

std::string step_table(const Json& answer, const Style& style) {
  const Json& step = answer["step"];
  const double total = number(step["seconds"]);
  std::string out = heading(style, answer["fits"].get<bool>() ? "Step" : "Step, if it fitted");
  out += fmt::format("{} ({} to {}), MFU {} causal, {} full; HFU {}\n", style(Paint::strong, duration_text(total)),
                     duration_text(number(step["low_seconds"])), duration_text(number(step["high_seconds"])),
                     percent_text(number(step["mfu"])), percent_text(number(step["mfu_full"])),
                     percent_text(number(step["hfu"])));
  out += fmt::format("{} tokens/s and {:.1f} model TFLOP/s a GPU\n", grouped(number(step["tokens_per_second_per_gpu"])),
                     number(step["model_tflops_per_gpu"]));
  for (const auto& [part, seconds] : step["breakdown"].items()) {
    if (seconds == 0 || total <= 0) continue;
    const double share = number(seconds) / total;
    out += fmt::format("  {:<20}{:>10}{:>9}  {}\n", part, duration_text(number(seconds)), percent_text(share),
                       std::string(static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * 35 + 0.5), '#'));
  }
  return out;
}

/// "expert_data_parallel" is "expert_data" in a column.
std::string short_group(const Json& transfer) {
  constexpr std::string_view suffix = "_parallel";
  std::string group = text(transfer["group"]);
  if (group.size() > suffix.size() && group.compare(group.size() - suffix.size(), suffix.size(), suffix) == 0) {
    group.resize(group.size() - suffix.size());
  }
  return group + (transfer["spans_nodes"].get<bool>() ? " (net)" : "");
}

std::string traffic_table(const Json& answer, const Style& style) {
  const auto stage = answer["step"]["slowest_stage"].get<std::int64_t>();
  std::string rows;
  for (const Json& t : answer["traffic"]) {
    if (t["first_stage"].get<std::int64_t>() > stage || t["last_stage"].get<std::int64_t>() < stage) continue;
    rows += fmt::format("{:<15}{:<18}{:>5} {:<16}{:>8}{:>8}{:>9}\n", text(t["collective"]), short_group(t),
                        t["group_size"].dump(), text(t["when"]), size_text(number(t["bytes"])),
                        grouped(number(t["count_per_step"])), duration_text(number(t["exposed_seconds"])));
  }
  if (rows.empty()) return {};
  return heading(style, fmt::format("Communication of a rank of stage {}, the slowest", stage)) +
         fmt::format("{:<15}{:<18}{:>5} {:<16}{:>8}{:>8}{:>9}\n", "collective", "group", "ranks", "when", "size",
                     "calls", "exposed") +
         rows;
}

/// A figure's formula with its numbers, for --explain.
std::string reason_lines(const Json& figure) {
  return "      " + wrapped("= " + substituted(text(figure["formula"]), figure["values"]), 8, 6) + "\n      " +
         wrapped("source: " + text(figure["source"]), 8, 6) + '\n';
}

std::string convention_table(const Json& answer, const Style& style) {
  std::string out = heading(style, "Utilisation by convention");
  for (const Json& c : answer["step"]["mfu_by_convention"]) {
    out += fmt::format("  {:<48}{:>9}{:>12} TFLOP/s\n", text(c["name"]), percent_text(number(c["mfu"])),
                       fmt::format("{:.1f}", number(c["tflops_per_gpu"])));
    out += reason_lines(c);
  }
  return out;
}

std::string run_lines(const Json& answer, bool explain, const Style& style) {
  const Json& run = answer["run"];
  if (run.is_null()) return {};
  std::string out = heading(style, "Run");
  if (run["days"].is_null()) {
    out += wrapped(fmt::format("{} steps; interrupted every {}, the job never gets done.",
                               grouped(number(run["steps"])), duration_text(number(run["mtbf_hours"]) * 3600)),
                   0) +
           '\n';
  } else {
    std::string line = fmt::format("{} steps, {:.1f} days, {} GPU hours", grouped(number(run["steps"])),
                                   number(run["days"]), grouped(number(run["gpu_hours"])));
    if (!run["cost"].is_null()) line += fmt::format(", {} USD", grouped(number(run["cost"])));
    if (!run["energy_kwh"].is_null()) line += fmt::format(", {} kWh", grouped(number(run["energy_kwh"])));
    out += wrapped(line, 0) + '\n';
    const Json& checkpoint = run["checkpoint"];
    out += wrapped(fmt::format("Goodput {}: an interruption every {:.1f} h, {} in all; a checkpoint of {} every {}, "
                               "written in {}.",
                               percent_text(number(run["goodput"])), number(run["mtbf_hours"]),
                               grouped(number(run["interruptions"])), size_text(number(checkpoint["bytes"])),
                               duration_text(number(checkpoint["interval_seconds"])),
                               duration_text(number(checkpoint["seconds"]))),
                   0) +
           '\n';
  }
  if (!explain) return out;
  for (const Json& figure : run["figures"]) {
    const std::string unit = text(figure["unit"]);
    out += "  " + text(figure["name"]) + ": " + number_text(number(figure["value"]));
    out += (unit.empty() ? "" : " ") + unit + '\n';
    out += reason_lines(figure);
  }
  return out;
}

std::string case_lines(const Json& answer, const Style& style) {
  if (!answer.contains("case")) return {};
  const Json& c = answer["case"];
  const auto english = [&](const char* key) {
    return c.contains(key) && c[key].is_object() && c[key].contains("en") ? text(c[key]["en"]) : std::string("-");
  };
  std::string out = style(Paint::strong, "Handbook: " + english("title")) + '\n';
  out += wrapped("text says: " + english("text_says"), 2) + '\n';
  out += wrapped("follows: " + english("follows"), 2) + '\n';
  out += wrapped("why: " + english("why"), 2) + '\n';
  if (c.contains("figures") && !c["figures"].empty()) out += figure_table(c["figures"]);
  return out + '\n';
}

std::string warning_lines(const Json& answer, const Style& style) {
  if (answer["warnings"].empty()) return {};
  std::string out = heading(style, "Warnings");
  for (const Json& w : answer["warnings"]) {
    out += wrapped(fmt::format("{}: {}", text(w["path"]), text(w["message"])), 2) + '\n';
  }
  return out;
}

}  // namespace

std::string estimate_report(const Json& answer, bool explain, const Style& style) {
  std::string out = case_lines(answer, style) + verdict(answer, style) + '\n' + scenario_lines(answer);
  out += stage_table(answer, style) + ledger_table(answer, style);
  if (explain)
    out += heading(style, "Each line of stage " + binding_stage(answer)["stage"].dump()) +
           explanation(binding_stage(answer), style);
  out += step_table(answer, style);
  if (explain) out += convention_table(answer, style);
  out += traffic_table(answer, style);
  if (explain && !answer["traffic"].empty()) {
    const auto stage = answer["step"]["slowest_stage"].get<std::int64_t>();
    out += heading(style, "How each transfer of stage " + std::to_string(stage) + " runs") +
           traffic_explanation(answer["traffic"], stage, style);
  }
  return out + run_lines(answer, explain, style) + warning_lines(answer, style);
}

}  // namespace meshgauge::cli
