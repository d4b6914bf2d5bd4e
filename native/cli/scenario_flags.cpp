// Flags that set one field of a scenario each.
#include "native/cli/scenario_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/api.hpp"
#include "core/io/parse.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/files.hpp"
#include "native/cli/quantity.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Flag {
  const char* name;
  const char* path;
};

constexpr auto flags = std::to_array<Flag>({
    {"--model", "/model"},
    {"--system", "/cluster/system"},
    {"--gpu", "/cluster/gpu"},
    {"--gpus", "/cluster/gpus"},
    {"--tp", "/parallelism/tensor_parallel_size"},
    {"--pp", "/parallelism/pipeline_parallel_size"},
    {"--vpp", "/parallelism/virtual_pipeline_size"},
    {"--cp", "/parallelism/context_parallel_size"},
    {"--ep", "/parallelism/expert_parallel_size"},
    {"--etp", "/parallelism/expert_tensor_parallel_size"},
    {"--dp", "/parallelism/data_parallel_size"},
    {"--zero", "/parallelism/zero_stage"},
    {"--schedule", "/parallelism/pipeline_schedule"},
    {"--engine", "/training/engine"},
    {"--precision", "/training/precision"},
    {"--optimizer", "/training/optimizer"},
    {"--seq", "/training/sequence_length"},
    {"--micro-batch", "/training/micro_batch_size"},
    {"--global-batch", "/training/global_batch_size"},
    {"--recompute", "/training/recompute"},
    {"--tokens", "/training/tokens"},
});
constexpr std::size_t flag_count = std::size(flags);
constexpr std::string_view handbook_prefix = "handbook:";

const FieldInfo* field_at(const std::vector<FieldInfo>& fields, std::string_view path) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.path == path; });
  return found == fields.end() ? nullptr : &*found;
}

Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

Scale scale_of(std::string_view path) { return path == "/training/sequence_length" ? Scale::sequence : Scale::count; }

/// Puts a value where a pointer says, making objects on the way. False if something else is in the way.
bool put(Json& document, std::string_view pointer, Json value) {
  Json* at = &document;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t slash = pointer.find('/');
    std::string key(pointer.substr(0, slash));
    pointer.remove_prefix(slash == std::string_view::npos ? pointer.size() : slash);
    for (const auto& [escape, plain] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
      for (std::size_t i = key.find(escape); i != std::string::npos; i = key.find(escape, i + 1))
        key.replace(i, 2, plain);
    }
    if (at->is_null()) *at = Json::object();
    if (at->is_array() && !key.empty() && key.size() < 6 && key.find_first_not_of("0123456789") == std::string::npos &&
        std::stoul(key) < at->size()) {
      at = &(*at)[std::stoul(key)];
    } else if (at->is_object()) {
      at = &(*at)[key];
    } else {
      return false;
    }
  }
  *at = std::move(value);
  return true;
}

/// A value of --set: JSON if it is that, else a number as people write it, else a word.
Json set_value(const std::string& text, std::string_view path) {
  Result<Json> parsed = parse_json(text);
  if (parsed.ok()) return std::move(*parsed.value);
  if (const auto number = parse_quantity(text, scale_of(path))) return number_json(*number);
  return text;
}

void apply_set(const std::string& text, Json& document, ScenarioRequestText& result) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals < 2 || text[0] != '/') {
    result.issues.push_back(
        {"", "--set " + in_quotes(text) + " is no assignment. Allowed: /json/path=value, as /training/loss=fused."});
    return;
  }
  const std::string path = text.substr(0, equals);
  if (put(document, path, set_value(text.substr(equals + 1), path))) {
    result.flags.push_back({path, "--set " + path});
  } else {
    result.issues.push_back({"", "--set " + in_quotes(path) + " leads into a value that is no object."});
  }
}

/// A model is a file if it looks like one: a name that ends in .json, or has a folder and exists.
std::optional<Json> read_model(const std::string& value, ScenarioRequestText& result) {
  std::error_code error;
  const bool named = value.size() > 5 && value.compare(value.size() - 5, 5, ".json") == 0;
  if (!named && !std::filesystem::is_regular_file(value, error)) return Json(value);
  const Result<std::string> text = read_text(value);
  if (!text.ok()) {
    result.issues.push_back({"", "--model: " + text.issues[0].message});
    return std::nullopt;
  }
  Result<Json> parsed = parse_json(*text.value);
  for (const Issue& issue : parsed.issues) result.issues.push_back({"", "--model: " + value + ": " + issue.message});
  return std::move(parsed.value);
}

std::optional<Json> flag_value(const Flag& flag, const FieldInfo& field, const std::string& text,
                               ScenarioRequestText& result) {
  if (field.path == "/model") return read_model(text, result);
  if (field.type != "integer" && field.type != "number") return Json(text);
  const auto number = parse_quantity(text, scale_of(field.path));
  const bool whole = number && (field.type == "number" || *number == std::floor(*number));
  if (!whole || *number < field.text.min || *number > field.text.max) {
    result.issues.push_back({"", std::string(flag.name) + " is " + in_quotes(text) +
                                     ". Allowed: " + (field.type == "integer" ? "a whole number, " : "a number, ") +
                                     range_text(field.text) + '.'});
    return std::nullopt;
  }
  return number_json(*number);
}

void apply_flags(const ScenarioInput& input, Json& document, ScenarioRequestText& result) {
  const std::vector<FieldInfo> fields = scenario_fields();
  const auto given = [&](std::string_view path) {
    for (std::size_t i = 0; i < flag_count; ++i) {
      if (flags[i].path == path) return input.values[i].has_value();
    }
    return false;
  };
  const auto drop = [&](const char* section, const char* key) {
    if (document.contains(section) && document[section].is_object()) document[section].erase(key);
  };
  // A flag that contradicts the document wins over it.
  if (given("/cluster/system")) drop("cluster", "gpu");
  if (given("/cluster/gpu")) drop("cluster", "system");
  const bool resized = given("/cluster/gpus") || given("/parallelism/tensor_parallel_size") ||
                       given("/parallelism/pipeline_parallel_size") || given("/parallelism/context_parallel_size");
  if (resized) drop("parallelism", "data_parallel_size");
  for (std::size_t i = 0; i < flag_count; ++i) {
    if (!input.values[i]) continue;
    auto value = flag_value(flags[i], *field_at(fields, flags[i].path), *input.values[i], result);
    if (!value) continue;
    if (put(document, flags[i].path, std::move(*value))) {
      result.flags.push_back({flags[i].path, flags[i].name});
    } else {
      result.issues.push_back({flags[i].path, "The document has a value there that is no object."});
    }
  }
}

/// The scenario of a handbook case.
std::optional<Json> case_scenario(const std::string& id, ScenarioRequestText& result) {
  const Json request{{"command", "catalog"}, {"kind", "handbook"}, {"id", id}};
  const Result<Json> answer = parse_json(api(request.dump()));
  if (answer.ok() && (*answer.value)["ok"] == true) return (*answer.value)["entry"]["scenario"];
  const std::string message = answer.ok() ? (*answer.value)["issues"][0]["message"].get<std::string>() : "No answer.";
  result.issues.push_back({"", message});
  return std::nullopt;
}

std::optional<Json> read_document(const std::string& path, ScenarioRequestText& result) {
  if (path.empty()) return Json::object();
  const Result<std::string> text = read_text(path);
  if (!text.ok()) {
    result.issues = text.issues;
    return std::nullopt;
  }
  Result<Json> parsed = parse_json(*text.value);
  for (const Issue& issue : parsed.issues) {
    const std::string place = path == "-" ? "standard input" : shortened(path);
    result.issues.push_back({issue.path, place + ": " + issue.message});
  }
  if (parsed.ok() && parsed.value->is_object() && !parsed.value->contains("model") &&
      (parsed.value->contains("model_type") || parsed.value->contains("architectures"))) {
    result.issues.push_back({"", in_quotes(path) + " is a model's config.json. Give it with --model, and a --system."});
    return std::nullopt;
  }
  return std::move(parsed.value);
}

}  // namespace

void add_scenario_flags(CLI::App& app, ScenarioInput& input) {
  app.add_option("SCENARIO", input.document, "Scenario file, - for standard input, or handbook:ID.");
  const std::vector<FieldInfo> fields = scenario_fields();
  input.values.resize(flag_count);
  for (std::size_t i = 0; i < flag_count; ++i) {
    const FieldInfo& field = *field_at(fields, flags[i].path);
    std::string help(field.text.help);
    if (!field.options.empty()) help += " One of " + list_text(field.options) + '.';
    help += " Default: " + std::string(field.text.fallback) + '.';
    app.add_option(flags[i].name, input.values[i], help);
  }
  app.add_option("--set", input.sets, "Any field, by its JSON pointer: /training/loss=fused. Can be repeated.")
      ->allow_extra_args(false);
  app.add_option("--profile", input.profile, "File of measured prices that replace datasheet ones.");
}

ScenarioRequestText fill_request(const ScenarioInput& input, Json& request) {
  ScenarioRequestText result;
  const bool untouched =
      std::all_of(input.values.begin(), input.values.end(), [](const auto& value) { return !value; }) &&
      input.sets.empty();
  std::optional<Json> document;
  if (input.document.rfind(handbook_prefix, 0) != 0) {
    document = read_document(input.document, result);
  } else if (untouched) {
    document = Json(input.document);  // the answer then holds the case as well
  } else {
    document = case_scenario(input.document.substr(handbook_prefix.size()), result);
  }
  if (!input.profile.empty()) {
    const Result<std::string> text = read_text(input.profile);
    Result<Json> parsed = text.ok() ? parse_json(*text.value) : Result<Json>(Issues(text.issues));
    for (const Issue& issue : parsed.issues) result.issues.push_back({"", "--profile: " + issue.message});
    if (parsed.ok()) request["profile"] = std::move(*parsed.value);
  }
  if (!document) return result;
  if (!untouched && !document->is_object()) {
    result.issues.push_back({"", "The scenario is no object, so flags cannot change it."});
    return result;
  }
  if (!untouched) apply_flags(input, *document, result);
  for (const std::string& set : input.sets) apply_set(set, *document, result);
  request["scenario"] = std::move(*document);
  return result;
}

}  // namespace meshgauge::cli
