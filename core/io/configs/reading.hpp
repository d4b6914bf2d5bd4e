// What a configuration of another program says of a scenario, and what becomes of each of its settings.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"

namespace meshgauge {

/// One setting: its name with dots between levels, and its value.
struct ConfigEntry {
  std::string key;
  nlohmann::ordered_json value;
};

/// A name, and the field of the scenario that holds the same value.
struct SameField {
  std::string_view key;
  std::string_view path;
};

class ConfigReading {
 public:
  using Json = nlohmann::ordered_json;

  /// `known`: what else is known of the scenario. It is not changed: what stands in it wins over the configuration.
  explicit ConfigReading(const Json& known) : known_(known) {}

  /// Sets a field from an entry.
  void use(const ConfigEntry&, std::string_view path, Json value);
  /// Notes that an entry was used without one field of its own.
  void used(const ConfigEntry&, std::string_view what);
  void irrelevant(const ConfigEntry&, std::string_view why);
  void not_understood(const ConfigEntry&, std::string why = "");

  /// Sets a field that no single entry says.
  void set(std::string_view path, Json value);
  /// The same unless something said it already.
  void set_default(std::string_view path, Json value) {
    if (find(path) == nullptr) set(path, std::move(value));
  }
  /// The field as known or as set; nullptr if neither.
  [[nodiscard]] const Json* find(std::string_view path) const;
  /// "auto", for which Hugging Face's Trainer fills in its own.
  [[nodiscard]] static bool is_auto(const Json& value) { return value == Json("auto"); }

  /// If a table names the entry its field is set.
  bool use_same(const ConfigEntry&, std::span<const SameField> table);
  /// If a pattern fits the entry it is irrelevant; a pattern that ends in '*' fits what begins so.
  bool drop_irrelevant(const ConfigEntry&, std::span<const std::string_view> patterns, std::string_view why);
  /// Precision from flags such as bf16.enabled.
  void precision_flag(const ConfigEntry&, std::string_view precision);

  std::optional<std::int64_t> accumulation;  ///< micro-batches of one step on one rank
  Issues warnings;

  /// Number of the scenario's data-parallel ranks, if the GPUs are known.
  void finish_batch();
  /// {"scenario", "used", "irrelevant", "not_understood", "warnings"}
  [[nodiscard]] Json take() &&;

 private:
  const Json& known_;
  Json scenario_ = Json::object();
  Json used_ = Json::array(), irrelevant_ = Json::array(), not_understood_ = Json::array();
};

/// Objects flattened to entries in order; lists are values.
[[nodiscard]] std::vector<ConfigEntry> flattened(const nlohmann::ordered_json& object, const std::string& prefix = "");

void read_deepspeed(const nlohmann::ordered_json& config, ConfigReading&);
void read_accelerate(const nlohmann::ordered_json& config, ConfigReading&);
void read_training_arguments(const nlohmann::ordered_json& config, ConfigReading&);
/// Names without their dashes: "num-layers".
void read_megatron(const nlohmann::ordered_json& options, ConfigReading&);

}  // namespace meshgauge
