// Megatron-LM's arguments as they were read, and the model among them.
#pragma once

#include <cstdint>
#include <string>

#include "core/io/configs/reading.hpp"

namespace meshgauge::megatron_options {

using Json = nlohmann::ordered_json;

inline const Json* find(const Json& options, const char* key) {
  const auto found = options.find(key);
  return found == options.end() ? nullptr : &*found;
}
inline bool is_on(const Json& options, const char* key) {
  const Json* value = find(options, key);
  return value != nullptr && *value != Json(false);
}
inline std::int64_t whole(const Json& options, const char* key, std::int64_t otherwise) {
  const Json* value = find(options, key);
  return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : otherwise;
}
inline std::string word(const Json& options, const char* key, const char* otherwise) {
  const Json* value = find(options, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : otherwise;
}

/// Sets /model, where the arguments name its width and layers.
void read_model(const Json& options, ConfigReading&);

}  // namespace meshgauge::megatron_options
