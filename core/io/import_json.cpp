#include "core/io/import_json.hpp"

#include <nlohmann/json.hpp>

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

double number_in(const Json& object, std::string_view key, double fallback) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_number() ? value->get<double>() : fallback;
}

std::int64_t count_in(const Json& object, std::string_view key) {
  constexpr double largest = 9007199254740992;
  const double value = number_in(object, key);
  return value >= 0 && value <= largest ? static_cast<std::int64_t>(value) : 0;
}

std::string text_in(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

bool flag_in(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json& child_of(const Json& object, std::string_view key) {
  static const Json nothing = Json::array();
  const Json* value = member(object, key);
  return value != nullptr && value->is_structured() ? *value : nothing;
}

}  // namespace meshgauge
