// The scenario of a request: an object, or the name of a handbook case.
#include "core/io/asked_scenario.hpp"

#include <string>
#include <string_view>

#include "core/io/handbook.hpp"
#include "core/io/read_scenario.hpp"

namespace meshgauge {

std::optional<AskedScenario> read_asked_scenario(const nlohmann::ordered_json& request, Reading& reading) {
  constexpr std::string_view handbook_prefix = "handbook:";
  nlohmann::ordered_json document = request.contains("scenario") ? request["scenario"] : nlohmann::ordered_json();
  if (document.is_string() && document.get_ref<const std::string&>().rfind(handbook_prefix, 0) == 0) {
    Result<nlohmann::ordered_json> found =
        find_case(document.get_ref<const std::string&>().substr(handbook_prefix.size()), "/scenario");
    reading.issues.insert(reading.issues.end(), found.issues.begin(), found.issues.end());
    if (!found.ok()) return std::nullopt;
    document = nlohmann::ordered_json((*found.value)["scenario"]);
  }
  if (!document.is_object()) {
    reading.fail("/scenario", "scenario is " + (request.contains("scenario") ? shown(document) : "missing") +
                                  ". Expected: an object, or \"handbook:ID\".");
    return std::nullopt;
  }
  Result<Resolution> resolution = read_scenario(document);
  for (Issue& issue : resolution.issues) reading.issues.push_back(std::move(issue));
  if (!resolution.ok()) return std::nullopt;
  return AskedScenario{std::move(document), std::move(*resolution.value)};
}

}  // namespace meshgauge
