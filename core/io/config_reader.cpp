// Reading numbers, flags and texts out of a config.json.
#include "core/io/config_reader.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

std::string_view next_key(std::string_view& keys) {
  const std::string_view key = usual_key(keys);
  keys.remove_prefix(key.size() == keys.size() ? key.size() : key.size() + 1);
  return key;
}

}  // namespace

std::string_view ConfigReader::spelled(std::string_view keys) const {
  const std::string_view usual = usual_key(keys);
  while (!keys.empty()) {
    const std::string_view key = next_key(keys);
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) return key;
  }
  return usual;
}

std::string ConfigReader::path_of(std::string_view keys) const { return path_ + '/' + std::string(spelled(keys)); }

const Json* ConfigReader::find(std::string_view keys) const {
  const auto found = object_.find(spelled(keys));
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool ConfigReader::has(std::string_view keys) const {
  while (!keys.empty()) {
    if (object_.contains(next_key(keys))) return true;
  }
  return false;
}

void ConfigReader::complain(std::string_view keys, std::string_view message) {
  reading_.fail(path_of(keys), std::string(spelled(keys)) + std::string(message));
}

std::int64_t ConfigReader::whole(std::string_view keys, WholeRange range, std::int64_t otherwise) {
  const Json* value = find(keys);
  if (value == nullptr) return otherwise;
  const FieldText text{
      .key = spelled(keys), .min = static_cast<double>(range.min), .max = static_cast<double>(range.max)};
  const auto number = read_integer(*value, text, path_of(keys), reading_);
  if (!number) return 0;
  if (*number >= range.min && *number <= range.max) return *number;
  reading_.fail(path_of(keys), range_message(text, number_text(*number)));
  return 0;
}

bool ConfigReader::flag(std::string_view keys, bool otherwise) {
  const Json* value = find(keys);
  if (value == nullptr) return otherwise;
  return read_boolean(*value, {.key = spelled(keys)}, path_of(keys), reading_).value_or(otherwise);
}

std::string ConfigReader::text(std::string_view keys) {
  const Json* value = find(keys);
  if (value == nullptr) return {};
  return read_string(*value, {.key = spelled(keys)}, path_of(keys), reading_).value_or("");
}

ConfigReader ConfigReader::section(std::string_view key) {
  static const Json empty = Json::object();
  const Json* value = find(key);
  const bool usable = value != nullptr && expect_object(*value, key, path_of(key), reading_);
  return {usable ? *value : empty, path_of(key), reading_};
}

}  // namespace meshgauge
