// A configuration of another program in the place of a scenario file.
#include "native/cli/config_input.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/io/read_config.hpp"
#include "native/cli/files.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string keys_of(const Json& entries) {
  std::string keys;
  for (const Json& entry : entries) keys += (keys.empty() ? "" : ", ") + entry["key"].get<std::string>();
  return keys;
}

}  // namespace

Result<std::string> config_text(const std::string& path) {
  if (path.empty()) return Issues{{"", "No configuration is given. Name a file, or - for standard input."}};
  return read_text(path);
}

bool is_config(const std::string& text) {
  if (!recognise_config(text)) return false;
  const Result<Json> document = parse_json(text);  // a scenario that looks like a configuration is a scenario
  const bool scenario = document.ok() && document.value->is_object() &&
                        (document.value->contains("model") || document.value->contains("training") ||
                         document.value->contains("parallelism") || document.value->contains("cluster"));
  return !scenario;
}

Result<Json> scenario_of_config(const std::string& text, const Json& known) {
  Result<Json> answer = read_config(text, *recognise_config(text), known);
  if (!answer.ok()) return std::move(answer.issues);
  const Json& a = *answer.value;
  std::string words = fmt::format("meshgauge: Read as a configuration of {}: {} settings used, {} without effect here.",
                                  a["kind"].get<std::string>(), a["used"].size(), a["irrelevant"].size());
  if (!a["not_understood"].empty()) words += " Not understood: " + keys_of(a["not_understood"]) + '.';
  for (const Json& warning : a["warnings"]) words += ' ' + warning["message"].get<std::string>();
  fmt::print(stderr, "{}\n", wrapped(words, 4));
  return {Json(a["scenario"])};
}

}  // namespace meshgauge::cli
