// A figure in an answer.
#include "core/io/write_figure.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/write_value.hpp"
#include "core/scenario/rounding.hpp"

namespace meshgauge {

nlohmann::ordered_json write_figure(const Figure& figure, Explain explain) {
  nlohmann::ordered_json json;
  json["id"] = figure.text.id;
  json["name"] = figure.text.name;
  json["value"] = rounded_number(figure.value);
  json["unit"] = figure.unit;
  if (explain == Explain::yes) {
    json["formula"] = figure.text.formula;
    nlohmann::ordered_json& values = json["values"] = nlohmann::ordered_json::object();
    for (const Value& value : figure.values) {
      const bool is_whole = value.value == std::floor(value.value);
      values[value.symbol] = exact_number(is_whole ? value.value : round_significant(value.value, 12));
    }
    json["source"] = figure.text.source;
  }
  return json;
}

}  // namespace meshgauge
