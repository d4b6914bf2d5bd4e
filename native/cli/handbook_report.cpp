// The figures of a handbook case as a table.
#include "native/cli/handbook_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/scenario/words.hpp"
#include "native/cli/explanation.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers, words for a verdict, or nothing.
std::string cell(const Json& figure, const char* key) {
  if (!figure.contains(key) || figure[key].is_null()) return "-";
  const Json& value = figure[key];
  return value.is_number()   ? number_text(value.get<double>())
         : value.is_string() ? value.get<std::string>()
                             : value.dump();
}

std::string word(const Json& figure, const char* key) {
  if (!figure.contains(key)) return {};
  const Json& value = figure[key];
  if (value.is_object()) return value.value("en", std::string());
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

std::string figure_table(const Json& figures) {
  constexpr std::size_t widest = 42;
  std::string out = fmt::format("  {:<42}{:>14}{:>14}\n", "figure", "text says", "what follows");
  for (const Json& figure : figures) {
    const std::string what = word(figure, "what");
    const std::string unit = word(figure, "unit");
    const std::string numbers =
        fmt::format("{:>14}{:>14}{}{}", cell(figure, "text"), cell(figure, "value"), unit.empty() ? "" : " ", unit);
    if (what.size() < widest) {
      out += fmt::format("  {:<42}{}\n", what, numbers);
    } else {
      out += "  " + wrapped(what, 2, 2) + '\n' + std::string(widest + 2, ' ') + numbers + '\n';
    }
    if (figure.contains("formula") && figure["formula"].is_string()) {
      const std::string formula = figure["formula"].get<std::string>();
      const Json values = figure.contains("values") ? figure["values"] : Json::object();
      std::string shown = formula;
      if (const std::string filled = substituted(formula, values); filled != formula) shown += " = " + filled;
      out += "    " + wrapped(shown, 6, 4) + '\n';
    }
  }
  return out;
}

}  // namespace meshgauge::cli
