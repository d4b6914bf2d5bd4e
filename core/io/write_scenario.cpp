// A resolved scenario as a document that reads back to the same scenario.
#include "core/io/write_scenario.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "core/io/write_value.hpp"
#include "core/scenario/fields.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(double value) { return exact_number(value); }
Json to_json(std::int64_t value) { return value; }
Json to_json(bool value) { return value; }
Json to_json(const std::string& value) { return value; }
Json to_json(const std::vector<std::int64_t>& value) { return value; }

/// The shortest form that reads back to the same.
Json to_json(const RecomputeRequest& r) {
  const auto method = r.method.value_or(RecomputeMethod::uniform);
  const auto layers = r.layers.value_or(1);
  if (r.kind == Recompute::full && !(method == RecomputeMethod::uniform && layers == 1)) {
    return {{"method", name_of(method)}, {"layers", layers}};
  }
  if (r.kind == Recompute::selective && r.modules) {
    Json modules = Json::array();
    for (const RecomputeModule& module : recompute_modules) {
      if ((*r.modules).*module.flag) modules.push_back(module.name);
    }
    return {{"modules", modules}};
  }
  return name_of(r.kind);
}

Json to_json(std::string_view word) { return word; }

template <class Request>
void write_section(const Scenario& s, std::span<const Field<Request>> fields, Json& section) {
  for (const Field<Request>& field : fields) {
    const std::optional<Written> value = field.written(s);
    if (value) section[std::string(field.text.key)] = std::visit([](const auto& v) { return to_json(v); }, *value);
  }
}

/// Whether a value is the one of a scenario where nothing is set.
bool is_same(const Written& value, const std::optional<Written>& unset) {
  return std::visit(
      [&](const auto& v) {
        using Value = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<Value, RecomputeRequest>) {
          return v.kind == Recompute::none;
        } else {
          const auto* other = unset ? std::get_if<Value>(&*unset) : nullptr;
          return other != nullptr && v == *other;
        }
      },
      value);
}

template <class Request>
void write_set(const Scenario& s, const std::vector<Field<Request>>& fields, const char* name, Json& document) {
  const Scenario unset;
  for (const Field<Request>& field : fields) {
    const std::optional<Written> value = field.written(s);
    if (!value || is_same(*value, field.written(unset))) continue;
    document[name][std::string(field.text.key)] = std::visit([](const auto& v) { return to_json(v); }, *value);
  }
}

}  // namespace

Json write_layout(const Scenario& s, const LayoutFields& fields) {
  Json document = Json::object();
  write_set(s, fields.cluster, "cluster", document);
  write_set(s, fields.parallelism, "parallelism", document);
  write_set(s, fields.training, "training", document);
  return document;
}

Json write_scenario(const Scenario& s, const Json& model) {
  Json document;
  document["schema_version"] = schema_version;
  document["model"] = model.is_object() ? model : Json(s.model.id);
  write_section(s, cluster_fields(), document["cluster"]);
  write_section(s, parallelism_fields(), document["parallelism"]);
  write_section(s, training_fields(), document["training"]);
  write_section(s, run_fields(), document["run"]);
  return document;
}

}  // namespace meshgauge
