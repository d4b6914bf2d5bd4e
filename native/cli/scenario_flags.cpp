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
#include "core/io/handbook.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/words.hpp"
#include "native/cli/config_input.hpp"
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

const FieldInfo* field_at(const std::vector<FieldInfo>& fields, std::string_view path) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.path == path; });
  return found == fields.end() ? nullptr : &*found;
}

Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

Scale scale_of(std::string_view path) { return path == "/training/sequence_length" ? Scale::sequence : Scale::count; }

bool is_index(const std::string& key) {
  return !key.empty() && key.size() < 6 && key.find_first_not_of("0123456789") == std::string::npos;
}

/// The next piece of a pointer, unescaped (RFC 6901).
std::string next_key(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t slash = pointer.find('/');
  std::string key(pointer.substr(0, slash));
  pointer.remove_prefix(slash == std::string_view::npos ? pointer.size() : slash);
  for (const auto& [escape, plain] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
    for (std::size_t i = key.find(escape); i != std::string::npos; i = key.find(escape, i + 1))
      key.replace(i, 2, plain);
  }
  return key;
}

/// Puts a value where a pointer says, making objects and lists on the way; an item one past the last is appended.
/// What is in the way, if something is.
std::string put(Json& document, std::string_view pointer, Json value) {
  Json* at = &document;
  while (!pointer.empty()) {
    const std::string key = next_key(pointer);
    if (at->is_null()) *at = key == "0" || key == "-" ? Json::array() : Json::object();
    if (at->is_array()) {
      const std::size_t i = key == "-" ? at->size() : is_index(key) ? std::stoul(key) : at->size() + 1;
      if (i > at->size()) {
        return in_quotes(key) + " is no item of a list of " + std::to_string(at->size()) + ". Allowed: 0 to " +
               std::to_string(at->size()) + ", or - to append.";
      }
      if (i == at->size()) at->push_back(nullptr);
      at = &(*at)[i];
    } else if (at->is_object()) {
      at = &(*at)[key];
    } else {
      return in_quotes(key) + " leads into " + shown(*at) + ", which is no object.";
    }
  }
  *at = std::move(value);
  return {};
}

/// A value of --set: JSON if it is that, else a number as people write it, else a word.
Json set_value(const std::string& text, const std::string& path, ScenarioRequestText& result) {
  Result<Json> parsed = parse_json(text);
  if (parsed.ok() && parsed.issues.empty()) return std::move(*parsed.value);
  if (const auto number = parse_quantity(text, scale_of(path))) return number_json(*number);
  // A word needs no quotes, so what is wrong with JSON is said of what was meant as JSON.
  const bool number = !text.empty() && text.find_first_not_of("+-0123456789.eE") == std::string::npos;
  const bool container = !text.empty() && (text[0] == '{' || text[0] == '[' || text[0] == '"');
  if (number || container) {
    const std::string& message = parsed.issues[0].message;
    constexpr std::string_view head = "line 1, column 1: ";
    result.issues.push_back({path, message.rfind(head, 0) == 0 ? message.substr(head.size()) : message});
  }
  return text;
}

void apply_set(const std::string& text, Json& document, ScenarioRequestText& result) {
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  if (equals == std::string::npos || equals < 2 || text[0] != '/') {
    const std::string message =
        "--set " + in_quotes(text) + " is no assignment. Allowed: /json/path=value, as /training/loss=fused.";
    result.issues.push_back({text.size() > 1 && text[0] == '/' ? path : "", message});
    return;
  }
  result.flags.push_back({path, "--set " + path});
  const std::string obstacle = put(document, path, set_value(text.substr(equals + 1), path, result));
  if (!obstacle.empty()) result.issues.push_back({path, obstacle});
}

Json flag_value(const FieldInfo& field, const std::string& text, ScenarioRequestText& result) {
  if (field.path == "/model") return model_argument(text, result);
  if (field.type != "integer" && field.type != "number") return text;
  const auto number = parse_quantity(text, scale_of(field.path));
  return number ? number_json(*number) : Json(text);
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
    const FieldInfo& field = *field_at(fields, flags[i].path);
    result.flags.push_back({flags[i].path, flags[i].name});
    Json value = flag_value(field, *input.values[i], result);
    // Where a section is no object the core says so.
    [[maybe_unused]] const std::string obstacle = put(document, flags[i].path, std::move(value));
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

/// What a configuration of another program says is added to what flags say: its text is put into `config`.
std::optional<Json> read_document(const std::string& path, ScenarioRequestText& result, std::string& config) {
  if (path.empty()) return Json::object();
  const Result<std::string> text = read_text(path);
  if (!text.ok()) {
    result.issues = text.issues;
    return std::nullopt;
  }
  if (is_config(*text.value)) {
    config = *text.value;
    return Json::object();
  }
  const std::string place = path == "-" ? "standard input" : shortened(path);
  Result<Json> parsed = parse_json(*text.value);
  for (const Issue& issue : parsed.issues) {
    result.issues.push_back({issue.path, issue.path.empty() ? place + ": " + issue.message : issue.message});
  }
  if (!parsed.ok()) return std::nullopt;
  const Json& document = *parsed.value;
  const bool names_case = document.is_string() && document.get_ref<const std::string&>().rfind(handbook_prefix, 0) == 0;
  if (!document.is_object() && !names_case) {
    result.issues.push_back({"", place + ": The scenario is " + shown(document) +
                                     ". Expected: an object with model, cluster, parallelism and training."});
    return std::nullopt;
  }
  if (document.is_object() && !document.contains("model") &&
      (document.contains("model_type") || document.contains("architectures"))) {
    result.issues.push_back({"", in_quotes(path) + " is a model's config.json. Give it with --model, and a --system."});
    return std::nullopt;
  }
  return std::move(parsed.value);
}

void read_profile(const std::string& path, Json& request, ScenarioRequestText& result) {
  result.flags.push_back({"/profile", "--profile"});
  const Result<std::string> text = read_text(path);
  Result<Json> parsed = text.ok() ? parse_json(*text.value) : Result<Json>(Issues(text.issues));
  for (const Issue& issue : parsed.issues) {
    const bool named = !text.ok() || !issue.path.empty();
    result.issues.push_back({"/profile" + issue.path, named ? issue.message : shortened(path) + ": " + issue.message});
  }
  if (parsed.ok()) request["profile"] = std::move(*parsed.value);
}

}  // namespace

/// A model is a file if it looks like one: a name that ends in .json, or has a folder and exists.
Json model_argument(const std::string& value, ScenarioRequestText& result) {
  std::error_code error;
  const bool named = value.size() > 5 && value.compare(value.size() - 5, 5, ".json") == 0;
  if (!named && !std::filesystem::is_regular_file(value, error)) return value;
  const Result<std::string> text = read_text(value);
  Result<Json> parsed = text.ok() ? parse_json(*text.value) : Result<Json>(Issues(text.issues));
  for (const Issue& issue : parsed.issues) {
    result.issues.push_back(
        {"/model" + issue.path, text.ok() ? shortened(value) + ": " + issue.message : issue.message});
  }
  return parsed.ok() ? std::move(*parsed.value) : Json(value);
}

void add_scenario_flags(CLI::App& app, ScenarioInput& input, const char* document) {
  app.add_option(
      document, input.document,
      "Scenario file, - for standard input, or handbook:ID; or a configuration of DeepSpeed, accelerate, Megatron-LM "
      "or the Trainer.");
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
  std::string config;
  if (input.document.rfind(handbook_prefix, 0) == 0) {
    document = Json(input.document);
  } else {
    document = read_document(input.document, result, config);
  }
  // A case that nothing changes is named, and the answer then holds the case as well.
  if (document && document->is_string() && !untouched) {
    document = case_scenario(document->get<std::string>().substr(handbook_prefix.size()), result);
  }
  result.whole = document.has_value();
  if (!document) document = Json::object();
  if (!input.profile.empty()) read_profile(input.profile, request, result);
  if (!untouched) apply_flags(input, *document, result);
  for (const std::string& set : input.sets) apply_set(set, *document, result);
  if (!config.empty()) {
    Result<Json> completed = scenario_of_config(config, *document);
    result.issues.insert(result.issues.end(), completed.issues.begin(), completed.issues.end());
    result.whole = completed.ok();
    if (completed.ok()) document = std::move(completed.value);
  }
  request["scenario"] = std::move(*document);
  return result;
}

Issues at_paths(std::span<const BadArgument> bad, ScenarioRequestText& result) {
  Issues issues;
  for (const BadArgument& argument : bad) {
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](const Flag& f) { return f.name == argument.flag; });
    const std::string path = flag != flags.end() ? flag->path : argument.flag == "--profile" ? "/profile" : "";
    if (flag != flags.end()) result.flags.push_back({path, argument.flag});
    issues.push_back({path, argument.message});
  }
  return issues;
}

}  // namespace meshgauge::cli
