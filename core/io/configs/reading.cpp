// What a configuration of another program says of a scenario, and what becomes of each of its settings.
#include "core/io/configs/reading.hpp"

#include <algorithm>

#include "core/io/read_scenario.hpp"
#include "core/io/write_issues.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

const Json* at(const Json& document, std::string_view path) {
  const Json* place = &document;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string key(path.substr(0, path.find('/')));
    path.remove_prefix(key.size());
    if (!place->is_object() || !place->contains(key)) return nullptr;
    place = &(*place)[key];
  }
  return place;
}

std::int64_t degree(const ConfigReading& reading, std::string_view path) {
  const Json* value = reading.find(path);
  return value != nullptr && value->is_number_integer() ? std::max<std::int64_t>(1, value->get<std::int64_t>()) : 1;
}

/// GPUs of the job: as said, else those of one node of the system.
std::optional<std::int64_t> gpus(const ConfigReading& reading, const Json& known) {
  const Json* said = reading.find("/cluster/gpus");
  if (said != nullptr && said->is_number_integer()) return said->get<std::int64_t>();
  const Json* cluster = at(known, "/cluster");
  if (cluster == nullptr || !cluster->is_object()) return std::nullopt;
  const Result<Cluster> read = read_cluster(*cluster);
  if (!read.ok()) return std::nullopt;
  return read.value->gpus;
}

}  // namespace

const Json* ConfigReading::find(std::string_view path) const {
  const Json* known = at(known_, path);
  return known != nullptr ? known : at(scenario_, path);
}

void ConfigReading::set(std::string_view path, Json value) {
  if (at(known_, path) == nullptr) scenario_[Json::json_pointer(std::string(path))] = std::move(value);
}

void ConfigReading::use(const ConfigEntry& entry, std::string_view path, Json value) {
  used_.push_back({{"key", entry.key}, {"value", entry.value}, {"field", path}, {"says", value}});
  set(path, std::move(value));
}

void ConfigReading::used(const ConfigEntry& entry, std::string_view what) {
  used_.push_back({{"key", entry.key}, {"value", entry.value}, {"field", nullptr}, {"says", what}});
}

void ConfigReading::irrelevant(const ConfigEntry& entry, std::string_view why) {
  irrelevant_.push_back({{"key", entry.key}, {"value", entry.value}, {"why", why}});
}

void ConfigReading::not_understood(const ConfigEntry& entry, std::string why) {
  not_understood_.push_back({{"key", entry.key}, {"value", entry.value}, {"why", std::move(why)}});
}

bool ConfigReading::use_same(const ConfigEntry& entry, std::span<const SameField> table) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const SameField& f) { return f.key == entry.key; });
  if (row == table.end()) return false;
  use(entry, row->path, entry.value);
  return true;
}

bool ConfigReading::drop_irrelevant(const ConfigEntry& entry, std::span<const std::string_view> patterns,
                                    std::string_view why) {
  const bool fits = std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return entry.key == pattern;
    pattern.remove_suffix(1);
    return entry.key.compare(0, pattern.size(), pattern) == 0;
  });
  if (fits) irrelevant(entry, why);
  return fits;
}

void ConfigReading::precision_flag(const ConfigEntry& entry, std::string_view precision) {
  if (entry.value == Json(true)) {
    use(entry, "/training/precision", precision);
  } else if (entry.value == Json(false) || entry.value.is_null()) {
    irrelevant(entry, "off");
  } else {
    not_understood(entry, is_auto(entry.value) ? "left to the Trainer's arguments: set precision" : "no truth value");
  }
}

void ConfigReading::finish_batch() {
  if (!accumulation || find("/training/global_batch_size") != nullptr) return;
  const Json* micro = find("/training/micro_batch_size");
  const std::int64_t size = micro != nullptr && micro->is_number_integer() ? micro->get<std::int64_t>() : 1;
  const std::int64_t replica = degree(*this, "/parallelism/tensor_parallel_size") *
                               degree(*this, "/parallelism/pipeline_parallel_size") *
                               degree(*this, "/parallelism/context_parallel_size");
  const std::optional<std::int64_t> world = gpus(*this, known_);
  constexpr std::int64_t most = 1000000000;
  if (!world) {
    warnings.push_back({"/training/global_batch_size",
                        "Gradients add up over " + number_text(*accumulation) +
                            " micro-batches, but the number of GPUs is not known: set gpus, or global_batch_size."});
    return;
  }
  const bool fits = *accumulation > 0 && size > 0 && *accumulation < most && size < most && replica <= *world;
  const std::int64_t replicas = fits ? *world / replica : 0;
  const double batch =
      fits ? static_cast<double>(size) * static_cast<double>(*accumulation) * static_cast<double>(replicas) : 0;
  if (batch < 1 || batch > most) {
    warnings.push_back(
        {"/training/global_batch_size", "The global batch does not follow from the configuration: set it."});
    return;
  }
  set("/training/global_batch_size", static_cast<std::int64_t>(batch));
}

Json ConfigReading::take() && {
  Json scenario = scenario_;
  scenario.merge_patch(known_);
  Json answer = Json::object();
  answer["scenario"] = std::move(scenario);
  answer["used"] = std::move(used_);
  answer["irrelevant"] = std::move(irrelevant_);
  answer["not_understood"] = std::move(not_understood_);
  answer["warnings"] = write_issues(warnings);
  return answer;
}

std::vector<ConfigEntry> flattened(const Json& object, const std::string& prefix) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      const std::vector<ConfigEntry> inner = flattened(value, prefix + key + '.');
      entries.insert(entries.end(), inner.begin(), inner.end());
    } else {
      entries.push_back({prefix + key, value});
    }
  }
  return entries;
}

}  // namespace meshgauge
