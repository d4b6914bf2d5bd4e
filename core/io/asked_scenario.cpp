#include "core/io/asked_scenario.hpp"

#include <string>
#include <string_view>

#include "core/io/handbook.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/read_scenario.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

void report(const Issues& issues, Reading& reading) {
  reading.issues.insert(reading.issues.end(), issues.begin(), issues.end());
}

}  // namespace

std::optional<AskedDocument> read_asked_document(const Json& request, Reading& reading) {
  AskedDocument asked;
  if (request.contains("scenario")) asked.document = request["scenario"];
  if (asked.document.is_string() && asked.document.get_ref<const std::string&>().rfind(handbook_prefix, 0) == 0) {
    const std::string id = asked.document.get_ref<const std::string&>().substr(handbook_prefix.size());
    Result<Json> found = find_case(id, "/scenario");
    report(found.issues, reading);
    if (!found.ok()) return std::nullopt;
    asked.document = (*found.value)["scenario"];
    asked.handbook_case = std::move(*found.value);
  }
  if (!asked.document.is_object()) {
    reading.fail("/scenario", "scenario is " + (request.contains("scenario") ? shown(asked.document) : "missing") +
                                  ". Expected: an object, or \"handbook:ID\".");
    return std::nullopt;
  }
  return asked;
}

std::optional<AskedScenario> read_asked_scenario(const Json& request, Reading& reading) {
  std::optional<AskedDocument> asked = read_asked_document(request, reading);
  if (!asked) return std::nullopt;
  Result<Resolution> resolution = read_scenario(asked->document);
  report(resolution.issues, reading);
  if (!resolution.ok()) return std::nullopt;
  return AskedScenario{std::move(*asked), std::move(*resolution.value)};
}

std::optional<Profile> read_asked_profile(const Json& request, const Cluster& cluster, Reading& reading) {
  Result<Profile> profile = read_profile(request.contains("profile") ? request["profile"] : Json::object(), "/profile",
                                         default_profile(cluster));
  report(profile.issues, reading);
  return std::move(profile.value);
}

}  // namespace meshgauge
