// A judged claim as tables for a terminal of 80 columns.
#include "native/cli/check_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"
#include "native/cli/explanation.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& value) { return value.get<double>(); }
std::string text(const Json& value) { return value.get<std::string>(); }

std::string heading(const Style& style, std::string_view title) { return '\n' + style(Paint::strong, title) + '\n'; }

Paint paint_of(const std::string& verdict) {
  if (verdict == "normal") return Paint::ok;
  return verdict == "impossible" || verdict == "contradictory" ? Paint::no : Paint::warn;
}

/// A figure as people write it: shares in percent, counts of parameters and tokens with their letter.
std::string figure_text(const std::string& id, double value) {
  if (id == "mfu") return percent_text(value);
  if (id == "parameters" || id == "active_parameters" || id == "tokens") return count_text(value);
  if (id == "flops_per_token" || id == "total_flops") return fmt::format("{:.3g}", value);
  if (value >= 100) return grouped(value);
  return fmt::format("{:.3g}", value);
}

std::string words_of(std::string id) {
  if (id == "mfu") return "MFU";
  if (id == "gpus") return "GPUs";
  if (id == "gpu_hours") return "GPU hours";
  if (id == "tflops_per_gpu") return "model TFLOP/s per GPU";
  if (id == "tokens_per_second_per_gpu") return "tokens/s per GPU";
  if (id == "tokens_per_second") return "tokens/s";
  if (id == "flops_per_token") return "FLOPs per token";
  if (id == "total_flops") return "FLOPs of the run";
  for (char& c : id) c = c == '_' ? ' ' : c;
  return id;
}

std::string verdict_lines(const Json& answer, const Style& style) {
  std::string verdict = text(answer["verdict"]);
  const Paint paint = paint_of(verdict);
  verdict[0] = static_cast<char>(verdict[0] - 'a' + 'A');
  return style(paint, verdict) + wrapped(": " + text(answer["reason"]), 0, verdict.size()) + '\n';
}

std::string hardware_line(const Json& answer) {
  if (answer["gpu"].is_null()) return {};
  std::string line = fmt::format("{} in {}: dense peak {} TFLOP/s", text(answer["gpu"]), text(answer["precision"]),
                                 number_text(number(answer["peak_tflops"])));
  if (!answer["measured_tflops"].is_null()) {
    line += fmt::format(", fastest measured product {}", number_text(number(answer["measured_tflops"])));
  }
  line += answer["convention"] == "causal" ? "; causal attention counted" : "; 6 FLOPs a parameter, no attention";
  return wrapped(line, 0) + '\n';
}

std::string figure_rows(const Json& answer, bool explain, const Style& style) {
  std::string out = heading(style, "Figures");
  for (const Json& f : answer["figures"]) {
    const bool given = f["given"].get<bool>();
    const std::string why = given ? (f["source"] == "the model" ? "the model's" : "given")
                                  : "= " + substituted(text(f["formula"]), f["values"]);
    out += fmt::format("  {:<24}{:>14}  {}\n", words_of(text(f["id"])), figure_text(text(f["id"]), number(f["value"])),
                       wrapped(why, 42, 42));
    if (explain && !given) {
      out += "      " + wrapped(text(f["formula"]) + "; source: " + text(f["source"]), 6, 6) + '\n';
    }
  }
  for (const Json& f : answer["bounds"]) {
    out += fmt::format("  {:<28}{:>10}\n", text(f["name"]), figure_text("", number(f["value"])));
    if (explain) {
      out += "      " + wrapped("= " + substituted(text(f["formula"]), f["values"]), 8, 6) + '\n';
    }
  }
  return out;
}

std::string reading_rows(const Json& answer, const Style& style) {
  if (answer["speeds"].size() < 2) return {};
  std::string out = heading(style, "Speed, by what it rests on");
  for (const Json& r : answer["speeds"]) {
    out += fmt::format("  {:<24}{:>14}{:>10}  {}\n", text(r["basis"]),
                       figure_text("", number(r["tflops_per_gpu"])) + " TFLOP/s",
                       r["mfu"].is_null() ? "-" : percent_text(number(r["mfu"])), text(r["verdict"]));
  }
  return out;
}

std::string conflict_rows(const Json& answer, const Style& style) {
  if (answer["contradictions"].empty()) return {};
  std::string out = heading(style, "Contradictions");
  out += fmt::format("  {:<24}{:>14}{:>16}{:>12}\n", "", "given", "others give", "factor");
  for (const Json& c : answer["contradictions"]) {
    const std::string id = text(c["id"]);
    out += fmt::format("  {:<24}{:>14}{:>16}{:>12}\n", words_of(id), figure_text(id, number(c["given"])),
                       figure_text(id, number(c["implied"])), fmt::format("{:.3g}", number(c["factor"])));
  }
  return out;
}

std::string run_rows(const Json& answer, const Style& style) {
  if (answer["nearest"].empty()) return {};
  std::string out = heading(style, answer["same_gpu"].get<bool>() ? "Nearest published runs"
                                                                  : "Nearest published runs, of this and like GPUs");
  const auto row = [&](const Json& r) {
    const std::string gpus = r["gpus"].is_null() ? std::string("?") : grouped(number(r["gpus"]));
    out += fmt::format("  {:<30.30}{:>7} x {:<15.15}{:>6}{:>8}\n", text(r["name"]), gpus, text(r["gpu"]),
                       text(r["precision"]), percent_text(number(r["mfu"])));
    out += "      " + wrapped(text(r["source"]), 6, 6) + '\n';
  };
  for (const Json& r : answer["nearest"]) row(r);
  out += "  best:\n";
  row(answer["best"]);
  return out;
}

}  // namespace

std::string check_report(const Json& answer, bool explain, const Style& style) {
  std::string out = verdict_lines(answer, style) + hardware_line(answer) + conflict_rows(answer, style) +
                    reading_rows(answer, style) + figure_rows(answer, explain, style) + run_rows(answer, style);
  for (const Json& remark : answer["remarks"]) out += '\n' + wrapped(text(remark), 0) + '\n';
  for (const Json& w : answer["warnings"]) out += '\n' + wrapped("warning: " + text(w["message"]), 2) + '\n';
  return out;
}

}  // namespace meshgauge::cli
