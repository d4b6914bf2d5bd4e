// The answer to `describe`: every field of a scenario, and every word that answers use.
#include "core/io/describe.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "core/compose/step.hpp"
#include "core/count/ledger.hpp"
#include "core/count/traffic.hpp"
#include "core/engine/engine.hpp"
#include "core/io/write_value.hpp"
#include "core/scenario/fields.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

template <class Enum>
Json names() {
  Json list = Json::array();
  for (const std::string_view name : all_names<Enum>()) list.push_back(name);
  return list;
}

/// "/training/precision" is "training.precision": the page's language files hang on it.
std::string label_key(std::string path) {
  path.erase(0, 1);
  for (char& c : path) c = c == '/' ? '.' : c;
  return path;
}

Json write_field(const FieldInfo& field) {
  Json json;
  json["path"] = field.path;
  json["label_key"] = label_key(field.path);
  json["type"] = field.type;
  json["unit"] = field.text.unit.empty() ? Json(nullptr) : Json(field.text.unit);
  json["min"] = field.text.ranged() ? exact_number(field.text.min) : Json(nullptr);
  json["max"] = field.text.ranged() ? exact_number(field.text.max) : Json(nullptr);
  json["options"] = field.options;
  json["default"] = field.text.fallback;
  json["help"] = field.text.help;
  return json;
}

Json write_engine(const EngineDescription& engine) {
  Json json;
  json["id"] = name_of(engine.id);
  json["name"] = engine.name;
  json["version"] = engine.version;
  json["tensor_parallel"] = engine.tensor_parallel;
  json["pipeline_parallel"] = engine.pipeline_parallel;
  json["context_parallel"] = engine.context_parallel;
  json["expert_parallel"] = engine.expert_parallel;
  json["multi_rank"] = engine.multi_rank;
  Json& stages = json["zero_stages"] = Json::array();
  for (std::size_t i = 0; i < engine.zero.size(); ++i) {
    if (engine.zero[i].supported) stages.push_back(i);
  }
  json["default_zero_stage"] = engine.default_zero;
  json["source"] = engine.source;
  return json;
}

}  // namespace

Json write_description() {
  Json json;
  json["ok"] = true;
  json["schema_version"] = schema_version;
  Json& fields = json["fields"] = Json::array();
  for (const FieldInfo& field : scenario_fields()) fields.push_back(write_field(field));
  json["parts"] = names<Part>();
  json["categories"] = names<Category>();
  json["phases"] = names<Phase>();
  json["collectives"] = names<Collective>();
  json["groups"] = names<Group>();
  Json engines = Json::array();
  for (std::size_t i = 0; i < all_names<Engine>().size(); ++i) {
    engines.push_back(write_engine(describe_engine(static_cast<Engine>(i))));
  }
  json["engines"] = std::move(engines);
  return json;
}

}  // namespace meshgauge
