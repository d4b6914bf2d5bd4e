// The command `batch`: what the global batch is made of, and hints for the learning rate that goes with it.
#include "core/launch/batch.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_issues.hpp"
#include "core/io/write_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "scenario", "reference"});
constexpr auto reference_keys =
    std::to_array<std::string_view>({"global_batch_size", "learning_rate", "noise_scale", "beta1", "beta2"});
constexpr std::array<FieldText, 5> reference_fields{{
    {"global_batch_size", "sequences", 1, limit::global_batch, "none", "Batch that the learning rate is known for."},
    {"learning_rate", "", 1e-12, 1e6, "none", "Rate that is good at that batch."},
    {"noise_scale", "sequences", 1e-6, 1e15, "none", "Gradient noise scale, if it was measured."},
    {"beta1", "", 0, 1, "0.9", "Adam's at that batch."},
    {"beta2", "", 0, 1, "0.95", "Adam's at that batch."},
}};

BatchReference read_reference(const Json& object, Reading& reading) {
  BatchReference reference;
  if (!expect_object(object, "reference", "/reference", reading)) return reference;
  for (const auto& [key, value] : object.items()) {
    const std::string path = "/reference/" + key;
    std::size_t i = 0;
    while (i < reference_keys.size() && reference_keys[i] != key) ++i;
    if (i == reference_keys.size()) {
      report_unknown(key, "/reference", reference_keys, {}, reading);
      continue;
    }
    const auto number = number_in_range(value, reference_fields[i], path, reading);
    if (!number) continue;
    if (i == 0) {
      reference.global_batch = *number;
    } else if (i == 1) {
      reference.learning_rate = *number;
    } else if (i == 2) {
      reference.noise_scale = *number;
    } else {
      (i == 3 ? reference.beta1 : reference.beta2) = *number;
    }
  }
  return reference;
}

Json write_hint(const BatchHint& hint) {
  return {{"id", hint.id},
          {"rule", hint.rule},
          {"quantity", hint.quantity},
          {"value", hint.value ? rounded_number(*hint.value) : Json(nullptr)},
          {"source", hint.source},
          {"limits", hint.limits}};
}

}  // namespace

Result<Json> batch_command(const Json& request) {
  Reading reading;
  BatchReference reference;
  for (const auto& [key, value] : request.items()) {
    if (key == "reference") {
      reference = read_reference(value, reading);
    } else if (key != "command" && key != "scenario") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  const auto asked = read_asked_scenario(request, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  const Scenario& s = asked->resolution.scenario;
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["batch"] = {{"global_batch_size", s.training.global_batch_size},
                     {"micro_batch_size", s.training.micro_batch_size},
                     {"accumulation", s.micro_batches()},
                     {"data_parallel_size", s.parallelism.data},
                     {"tokens_per_step", exact_number(s.tokens_per_step())}};
  Json& hints = answer["hints"] = Json::array();
  for (const BatchHint& hint : batch_hints(s, reference)) hints.push_back(write_hint(hint));
  answer["warnings"] = write_issues(asked->resolution.warnings);
  return {std::move(answer)};
}

}  // namespace meshgauge
