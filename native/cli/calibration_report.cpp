#include "native/cli/calibration_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json& text) { return shortened(text.get<std::string>()); }

/// "3.4 %", "120 %".
std::string error_text(const Json& errors, const char* key) {
  if (errors.is_null()) return "-";
  const double percent = 100 * errors[key].get<double>();
  return percent > 9999 ? "> 9999 %" : fmt::format("{:.{}f} %", percent, percent < 99.95 ? 1 : 0);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return duration_text(seconds);
}

/// "+3.4 %": predicted over measured.
std::string off_text(const Json& row, const char* predicted) {
  const double share = row[predicted].get<double>() / row["measured"].get<double>() - 1;
  return fmt::format("{:+.1f} %", 100 * share);
}

std::string files_table(const Json& files) {
  std::string out;
  for (const Json& file : files) {
    const std::string tool = file["tool"].get<std::string>();
    out += fmt::format("{}: {}, {} measurements\n", shown(file["file"]), tool.empty() ? "not recognised" : tool,
                       grouped(file["measurements"].get<double>()));
    std::size_t notes = 0;
    for (const Json& note : file["notes"]) {
      if (++notes > 8) {
        out += fmt::format("  and {} more notes (--json)\n", file["notes"].size() - 8);
        break;
      }
      out += wrapped("  " + note.get<std::string>(), 4) + '\n';
    }
  }
  return out;
}

std::string verdict_text(const std::string& verdict) {
  if (verdict == "too_few_sizes") return "too few sizes: default";
  if (verdict == "slow") return "too slow: not fitted";
  if (verdict == "no_better") return "default is nearer";
  return {};
}

std::string curves_table(const Json& curves, const Style& style) {
  if (curves.empty()) return {};
  std::string out =
      '\n' + style(Paint::strong, fmt::format("{:<30}{:>7}{:>15}{:>14}{:>14}\n", "Collectives: error of time", "sizes",
                                              "before", "after", "held out"));
  out += fmt::format("{:<30}{:>7}{:>15}{:>14}{:>14}\n", "", "", "median p90", "median p90", "median p90");
  for (const Json& c : curves) {
    std::string name = fmt::format("{}, {} ranks", shown(c["collective"]), c["ranks"].get<std::int64_t>());
    if (c["spans_nodes"].get<bool>()) name += fmt::format(", {} a node", c["ranks_per_node"].get<std::int64_t>());
    const auto pair = [&](const char* key) {
      return c[key].is_null() ? std::string("-")
                              : fmt::format("{} {}", error_text(c[key], "median"), error_text(c[key], "p90"));
    };
    out += fmt::format("{:<30}{:>7}{:>15}{:>14}{:>14}\n", name, c["sizes"].get<std::int64_t>(), pair("before"),
                       pair("after"), pair("held_out"));
    if (const std::string why = verdict_text(c["verdict"].get<std::string>()); !why.empty()) {
      out += style(Paint::warn, "  " + why) + '\n';
    }
    if (!c.contains("regimes")) continue;
    for (const Json& r : c["regimes"]) {
      const Json& rate = r["bandwidth_bytes_per_second"];
      const Json& rate_sigma = r["bandwidth_sigma_bytes_per_second"];
      const std::string bandwidth = rate.is_null() ? "any rate"
                                                   : fmt::format("({:.4g} +- {:.2g} GB/s)", rate.get<double>() / 1e9,
                                                                 rate_sigma.get<double>() / 1e9);
      out += fmt::format("  {} to {}: {:.4g} +- {:.2g} us + bytes / {}\n", size_text(r["first_bytes"].get<double>()),
                         size_text(r["last_bytes"].get<double>()), r["latency_seconds"].get<double>() * 1e6,
                         r["latency_sigma_seconds"].get<double>() * 1e6, bandwidth);
    }
  }
  return out;
}

std::string summary_row(std::string_view name, const Json& part) {
  const auto pair = [&](const char* key) {
    return !part.contains(key) || part[key].is_null()
               ? std::string("-")
               : fmt::format("{} {}", error_text(part[key], "median"), error_text(part[key], "p90"));
  };
  return fmt::format("{:<30}{:>7}{:>15}{:>14}{:>14}\n", name, part["rows"].size(), pair("before"), pair("after"),
                     pair("held_out"));
}

std::string parameters_table(const Json& parameters, const Style& style) {
  if (parameters.empty()) return {};
  std::string out = '\n' + style(Paint::strong,
                                 fmt::format("{:<38}{:>13}{:>13}{:>14}\n", "Refitted", "before", "after", "one sigma"));
  for (const Json& p : parameters) {
    out += fmt::format("{:<38}{:>13.5g}{:>13.5g}{:>14}\n", shown(p["field"]), p["before"].get<double>(),
                       p["after"].get<double>(), fmt::format("{:.1f} %", 100 * p["relative_sigma"].get<double>()));
  }
  return out;
}

std::string steps_table(const Json& steps, const Style& style) {
  if (steps["rows"].empty()) return {};
  std::string out = '\n' + style(Paint::strong, "Steps") + '\n';
  for (const Json& row : steps["rows"]) {
    out += fmt::format("{:.200}\n{:<24}{:>14}{:>14}{:>11}{:>14}{:>11}\n", row["id"].get<std::string>(),
                       "  " + shown(row["what"]), seconds_text(row["measured"].get<double>()),
                       seconds_text(row["before"].get<double>()), off_text(row, "before"),
                       seconds_text(row["after"].get<double>()), off_text(row, "after"));
  }
  return out;
}

std::string run_report(const Json& run, const Style& style) {
  std::string out = '\n' + style(Paint::strong, "Run " + shown(run["id"])) + '\n';
  if (run.contains("step")) {
    const Json& step = run["step"];
    out += fmt::format("step: measured {}, predicted {} ({}), with the profile {} ({})\n",
                       seconds_text(step["measured"].get<double>()), seconds_text(step["before"].get<double>()),
                       off_text(step, "before"), seconds_text(step["after"].get<double>()), off_text(step, "after"));
    for (const Json& t : step["terms"]) {
      const std::string factor =
          fmt::format("{}{:.2f} times as long", t["enough"].get<bool>() ? "" : "even ", t["factor"].get<double>());
      out += fmt::format("  {:<48}{:>24}  {}\n", t["term"].get<std::string>(), factor,
                         !t["enough"].get<bool>()     ? "is not enough"
                         : t["plausible"].get<bool>() ? style(Paint::ok, "could be")
                                                      : "unusual");
    }
  }
  if (run.contains("memory")) {
    for (const auto& [kind, m] : run["memory"].items()) {
      out += fmt::format("{} memory: measured {} GiB, predicted {} GiB ({}), with the profile {} GiB ({})\n", kind,
                         gib_text(m["measured"].get<double>(), 2), gib_text(m["before"].get<double>(), 2),
                         off_text(m, "before"), gib_text(m["after"].get<double>(), 2), off_text(m, "after"));
      for (const Json& line : m["lines"]) {
        out += fmt::format("  {:<48}{:>11} GiB x {:<8.3g}{}\n", line["name"].get<std::string>(),
                           gib_text(line["bytes"].get<double>(), 2), line["factor"].get<double>(),
                           line["plausible"].get<bool>() ? style(Paint::ok, "could be") : "unusual");
      }
    }
  }
  return out;
}

std::string advice_list(const Json& advice, const Style& style) {
  if (advice.empty()) return {};
  std::string out = '\n' + style(Paint::strong, "What would help most") + '\n';
  for (const Json& a : advice) {
    out += wrapped(a["message"].get<std::string>(), 2) + '\n';
    if (!a["command"].is_null()) out += "  " + a["command"].get<std::string>() + '\n';
  }
  return out;
}

}  // namespace

bool learned_something(const Json& answer) {
  for (const auto& [key, value] : answer["profile"].items()) {
    if (key != "schema_version" && key != "name" && key != "fitted_from") return true;
  }
  return false;
}

std::string calibration_report(const Json& answer, const std::string& out_file, const Style& style) {
  std::string out = files_table(answer["files"]);
  for (const Json& text : answer["left_out"]) out += wrapped("left out: " + text.get<std::string>(), 2) + '\n';
  out += curves_table(answer["collectives"], style);
  if (!answer["products"]["rows"].empty() || !answer["steps"]["rows"].empty()) {
    out +=
        '\n' + style(Paint::strong, fmt::format("{:<30}{:>7}{:>15}{:>14}{:>14}\n", "Kernels and steps: error of time",
                                                "rows", "before", "after", "held out"));
    if (!answer["products"]["rows"].empty()) out += summary_row("matrix products", answer["products"]);
    if (!answer["steps"]["rows"].empty()) out += summary_row("steps and their parts", answer["steps"]);
  }
  out += parameters_table(answer["parameters"], style);
  out += steps_table(answer["steps"], style);
  for (const Json& run : answer["runs"]) out += run_report(run, style);
  out += advice_list(answer["advice"], style);
  if (!learned_something(answer)) {
    out += "\nNothing was learned: the defaults stay.\n";
  } else if (!out_file.empty()) {
    out += fmt::format("\nThe profile is in {0}. Use it: meshgauge estimate --profile {0}\n", out_file);
  } else {
    out += "\nThe profile was not kept: name a file with --out.\n";
  }
  return out;
}

}  // namespace meshgauge::cli
