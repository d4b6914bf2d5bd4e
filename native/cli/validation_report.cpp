// A validation as tables for a terminal of 80 columns: per file the families, the runs left out, on request every run.
#include "native/cli/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_reasons = 12;

/// What is compared: where an answer holds it, and what it is called.
struct Quantity {
  const char* pointer;
  const char* title;
  bool bytes;
};
constexpr auto quantities = std::to_array<Quantity>({
    {"/step_time", "step time", false},
    {"/collective_time", "collective time", false},
    {"/kernel_time", "kernel time", false},
    {"/memory/allocated", "allocated memory", true},
    {"/memory/reserved", "reserved memory", true},
    {"/memory/device", "device memory", true},
});

const Json& at(const Json& json, const char* pointer) { return json.at(Json::json_pointer(pointer)); }
bool has(const Json& json, const char* pointer) { return json.contains(Json::json_pointer(pointer)); }

std::string count_of(std::size_t n, std::string_view one) {
  return fmt::format("{} {}{}", number_text(static_cast<std::int64_t>(n)), one, n == 1 ? "" : "s");
}

/// "0.46 %", "12.3 %", "140 %": three digits, which is what errors are known to.
std::string error_text(double share) {
  const double percent = share * 100;
  const double size = std::fabs(percent);
  if (size > 9999) return percent < 0 ? "< -9999 %" : "> 9999 %";
  return fmt::format("{:.{}f} %", percent, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string signed_error_text(double share) { return (share > 0 ? "+" : "") + error_text(share); }

/// A sentence of a file in a form that any terminal can show, and no longer than one reads.
std::string printable(std::string_view text) {
  constexpr std::size_t longest = 240;
  std::string out;
  while (!text.empty()) {
    if (out.size() >= longest) return out + "...";
    const std::size_t size = std::max<std::size_t>(utf8_character(text), 1);
    out += shortened(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

/// What is wrong, without what is allowed: that differs from run to run.
std::string first_sentence(const std::string& text) { return text.substr(0, text.find(". ")); }

std::string file_name(const Json& file) {
  const auto path = file["file"].get<std::string>();
  const std::size_t slash = path.find_last_of('/');
  return path == "-" ? "standard input" : shortened(slash == std::string::npos ? path : path.substr(slash + 1));
}

constexpr std::size_t name_width = 25;

std::string family_name(const Json& family) {
  const std::string name = printable(family["family"].get<std::string>());
  return name.empty() ? "(no family)" : name;
}

/// The first cell of a row; a name that is too long for it gets a line of its own.
std::string name_cell(std::string_view name) {
  const std::string cell = fmt::format("{:<{}}", name, name_width);
  return cell.size() <= name_width ? cell : fmt::format("{:.80}\n{:<{}}", name, "", name_width);
}

std::string table_head(const Style& style, std::string_view title) {
  return '\n' + style(Paint::strong, name_cell(title)) +
         fmt::format("{:>6}{:>8}{:>8}{:>8}{:>8}{:>9}{:>8}\n", "n", "median", "mean", "p90", "max", "bias", "within");
}

std::string error_row(std::string_view name, const Json& errors) {
  const auto text = [&](const char* key) { return error_text(errors[key].get<double>()); };
  return name_cell(name) + fmt::format("{:>6}{:>8}{:>8}{:>8}{:>8}{:>9}{:>8}\n", errors["n"].get<std::int64_t>(),
                                       text("median"), text("mean"), text("p90"), text("max"),
                                       signed_error_text(errors["bias"].get<double>()),
                                       fmt::format("{:.0f} %", errors["coverage"].get<double>() * 100));
}

using Sets = std::vector<std::pair<std::string, const Json*>>;

/// A row for each set that has something of the quantity; the last row is the whole.
std::string error_table(const Quantity& quantity, const Sets& sets, const Json& whole, const Style& style,
                        std::string_view by = "") {
  if (at(whole, quantity.pointer)["n"] == 0) return {};
  std::string out = table_head(style, "Error of " + (quantity.title + std::string(by)));
  int printed = 0;
  for (const auto& [name, set] : sets) {
    const Json& errors = at(*set, quantity.pointer);
    if (errors["n"] == 0) continue;
    out += error_row(name, errors);
    ++printed;
  }
  return printed < 2 ? out : out + style(Paint::strong, error_row("all", at(whole, quantity.pointer)));
}

std::string fit_row(std::string_view name, const Json& fits) {
  const auto number = [&](const char* key) { return fits[key].get<std::int64_t>(); };
  const double share = static_cast<double>(number("right")) / static_cast<double>(number("n"));
  return name_cell(name) + fmt::format("{:>6}{:>8}{:>9}{:>10}{:>11}{:>11}\n", number("n"), number("right"),
                                       percent_text(share), number("out_of_memory"), number("false_fits"),
                                       number("false_ooms"));
}

std::string fit_table(const Sets& sets, const Json& whole, const Style& style) {
  if (whole["fits"]["n"] == 0) return {};
  std::string out =
      '\n' + style(Paint::strong, name_cell("Fits or out of memory")) +
      fmt::format("{:>6}{:>8}{:>9}{:>10}{:>11}{:>11}\n", "n", "right", "", "were OOM", "false fit", "false OOM");
  int printed = 0;
  for (const auto& [name, set] : sets) {
    if ((*set)["fits"]["n"] == 0) continue;
    out += fit_row(name, (*set)["fits"]);
    ++printed;
  }
  return printed < 2 ? out : out + style(Paint::strong, fit_row("all", whole["fits"]));
}

std::string tables(const Sets& sets, const Json& whole, const Style& style) {
  std::string out;
  for (const Quantity& quantity : quantities) out += error_table(quantity, sets, whole, style);
  return out + fit_table(sets, whole, style);
}

/// Reasons with how often each came, the most frequent first.
std::string skipped_list(const Json& skipped, const Style& style) {
  if (skipped.empty()) return {};
  std::map<std::string, std::size_t> counts;
  for (const Json& run : skipped) ++counts[first_sentence(run["reason"].get<std::string>())];
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = '\n' + style(Paint::strong, fmt::format("Skipped: {}", skipped.size())) + '\n';
  for (std::size_t i = 0; i < reasons.size() && i < most_reasons; ++i) {
    out += fmt::format("{:>6}  {}\n", reasons[i].second, wrapped(printable(reasons[i].first), 8, 8));
  }
  if (reasons.size() > most_reasons) {
    out += fmt::format("        {} (--json lists them)\n", count_of(reasons.size() - most_reasons, "more reason"));
  }
  return out;
}

std::string amount_text(const Json& value, const Quantity& quantity) {
  return quantity.bytes ? gib_text(value.get<double>(), 2) + " GiB" : duration_text(value.get<double>());
}

/// Every comparison of a quantity, the largest error first.
std::string row_table(const Quantity& quantity, const Json& rows, const Style& style) {
  std::vector<std::pair<double, std::string>> lines;
  for (const Json& row : rows) {
    if (!has(row, quantity.pointer)) continue;
    const Json& c = at(row, quantity.pointer);
    const auto error = c["error"].get<double>();
    lines.emplace_back(std::fabs(error),
                       fmt::format("{:<40.40} {:>12} {:>12} {:>10}{}\n", shortened(row["id"].get<std::string>()),
                                   amount_text(c["measured"], quantity), amount_text(c["predicted"], quantity),
                                   signed_error_text(error), c["within"].get<bool>() ? "" : " *"));
  }
  if (lines.empty()) return {};
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string title = quantity.title;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  std::string out = '\n' + style(Paint::strong, fmt::format("{:<40}", title)) +
                    fmt::format(" {:>12} {:>12} {:>10}\n", "measured", "predicted", "error");
  for (const auto& line : lines) out += line.second;
  return out;
}

std::string wrong_fits(const Json& rows, const Style& style) {
  std::string out;
  for (const Json& row : rows) {
    if (!row.contains("fits") || row["fits"]["right"].get<bool>()) continue;
    out +=
        fmt::format("{:<40.40} {}\n", shortened(row["id"].get<std::string>()),
                    row["fits"]["predicted"].get<bool>() ? "ran out of memory, said to fit" : "ran, said not to fit");
  }
  return out.empty() ? out : '\n' + style(Paint::strong, "Wrong about fitting") + '\n' + out;
}

/// Collectives and kernels by what they are, and the family in the middle.
std::string group_tables(const Json& file, const Style& style) {
  std::string out;
  for (const Quantity& quantity : quantities) {
    const char* key = quantity.pointer + 1;  // without the slash
    if (!file["median_family"].contains(key) || file["median_family"][key].is_null()) continue;
    for (const auto& [by, groups] : file["groups"].items()) {
      Sets sets;
      for (const Json& group : groups) sets.emplace_back(printable(group["name"].get<std::string>()), &group);
      if (sets.size() > 1) out += error_table(quantity, sets, file, style, " by " + by);
    }
    const Json& typical = file["median_family"][key];
    out += fmt::format("\nMedian family of {}: median {}, p90 {}\n", typical["families"].get<std::int64_t>(),
                       error_text(typical["median"].get<double>()), error_text(typical["p90"].get<double>()));
  }
  return out;
}

std::string file_report(const Json& file, bool rows, const Style& style) {
  std::string out = style(Paint::strong, file_name(file)) +
                    fmt::format(": {} compared, {} skipped\n", count_of(file["runs"].get<std::size_t>(), "run"),
                                number_text(static_cast<std::int64_t>(file["skipped"].size())));
  Sets families;
  for (const Json& family : file["families"]) families.emplace_back(family_name(family), &family);
  out += tables(families, file, style) + group_tables(file, style) + skipped_list(file["skipped"], style);
  if (!rows) return out;
  std::string table;
  for (const Quantity& quantity : quantities) table += row_table(quantity, file["rows"], style);
  if (table.find(" *\n") != std::string::npos) table += "* outside the predicted range\n";
  return out + table + wrong_fits(file["rows"], style);
}

}  // namespace

std::string validation_report(const Json& answer, bool rows, const Style& style) {
  std::string out;
  Sets files;
  for (const Json& file : answer["files"]) {
    out += (out.empty() ? "" : "\n\n") + file_report(file, rows, style);
    const std::string name = file_name(file);
    files.emplace_back(name.substr(0, name.rfind(".jsonl")), &file);
  }
  if (files.size() < 2) return out;
  return out + "\n\n" + style(Paint::strong, "All files") + '\n' + tables(files, answer["overall"], style);
}

std::vector<std::string> above_requirement(const Json& answer, double limit) {
  std::vector<std::string> above;
  bool compared = false;
  for (const Json& file : answer["files"]) {
    for (const Quantity& quantity : quantities) {
      const Json& median = at(file, quantity.pointer)["median"];
      if (median.is_null()) continue;
      compared = true;
      if (median.get<double>() <= limit) continue;
      above.push_back(fmt::format("{}: {} {}", file_name(file), quantity.title, error_text(median.get<double>())));
    }
  }
  if (!compared) above.emplace_back("no run could be compared");
  return above;
}

}  // namespace meshgauge::cli
