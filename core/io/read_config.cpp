// Configurations of other programs, read into a scenario: the command `read_config`.
#include "core/io/read_config.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/io/commands.hpp"
#include "core/io/configs/reading.hpp"
#include "core/io/configs/syntax.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "text", "kind", "scenario"});
constexpr FieldText kind_field{
    .key = "kind", .fallback = "told by the content", .help = "Which program's configuration the text is."};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// JSON where the text looks like it, else the syntax of its kind.
Result<Json> parsed(std::string_view text, ConfigKind kind) {
  if (text.size() > largest_document) return Issues{{"", too_large_message(text.size())}};
  if (looks_like_json(text)) return parse_json(text);
  switch (kind) {
    case ConfigKind::deepspeed:
      return parse_json(text);
    case ConfigKind::accelerate:
      return parse_yaml(text);
    case ConfigKind::megatron:
      return parse_options(text);
    case ConfigKind::training_arguments:
      return has(text, "--per_device_train_batch_size") ? parse_options(text) : parse_python_arguments(text);
  }
  return parse_json(text);
}

}  // namespace

std::optional<ConfigKind> recognise_config(std::string_view text) {
  if (has(text, "distributed_type")) return ConfigKind::accelerate;
  for (const char* sign : {"\"zero_optimization\"", "\"train_micro_batch_size_per_gpu\"", "\"train_batch_size\""}) {
    if (has(text, sign) && looks_like_json(text)) return ConfigKind::deepspeed;
  }
  for (const char* sign : {"per_device_train_batch_size", "TrainingArguments(", "gradient_checkpointing"}) {
    if (has(text, sign)) return ConfigKind::training_arguments;
  }
  for (const char* sign : {"--tensor-model-parallel-size", "--num-layers", "--micro-batch-size", "--hidden-size"}) {
    if (has(text, sign)) return ConfigKind::megatron;
  }
  return std::nullopt;
}

Result<Json> read_config(std::string_view text, ConfigKind kind, const Json& known) {
  Result<Json> config = parsed(text, kind);
  if (!config.ok() || (!config.issues.empty() && looks_like_json(text))) return std::move(config.issues);
  if (!config.value->is_object() || config.value->empty()) {
    return Issues{{"/text", "The text holds no setting of " + std::string(name_of(kind)) + '.'}};
  }
  ConfigReading reading(known);
  switch (kind) {
    case ConfigKind::deepspeed:
      read_deepspeed(*config.value, reading);
      break;
    case ConfigKind::accelerate:
      read_accelerate(*config.value, reading);
      break;
    case ConfigKind::megatron:
      read_megatron(*config.value, reading);
      break;
    case ConfigKind::training_arguments:
      read_training_arguments(*config.value, reading);
      break;
  }
  reading.finish_batch();
  Json answer;
  answer["ok"] = true;
  answer["kind"] = name_of(kind);
  answer.update(std::move(reading).take());
  return {std::move(answer)};
}

Result<Json> read_config_command(const Json& request) {
  Reading reading;
  std::optional<ConfigKind> kind;
  std::string text;
  Json known = Json::object();
  for (const auto& [key, value] : request.items()) {
    if (key == "text") {
      text = read_string(value, FieldText{.key = "text"}, "/text", reading).value_or("");
    } else if (key == "kind") {
      const auto choice = read_choice(value, kind_field, all_names<ConfigKind>(), "/kind", reading);
      if (choice) kind = static_cast<ConfigKind>(*choice);
    } else if (key == "scenario") {
      if (expect_object(value, "scenario", "/scenario", reading)) known = value;
    } else if (key != "command") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  if (!request.contains("text")) reading.fail("/text", "text is missing. Expected: a string, the configuration.");
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (!kind) kind = recognise_config(text);
  if (!kind) {
    return Issues{{"/text",
                   "The text is no configuration that is known. Read: DeepSpeed JSON, accelerate YAML, arguments "
                   "of Megatron-LM, TrainingArguments. Say which with kind."}};
  }
  return read_config(text, *kind, known);
}

}  // namespace meshgauge
