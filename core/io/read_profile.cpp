// A profile document: measured prices that replace the datasheet's, field by field.
#include "core/io/read_profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/io/parse.hpp"
#include "core/io/profile_fields.hpp"
#include "core/io/profile_tables.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText version_field{.key = "schema_version", .help = "Version of this format."};
constexpr FieldText name_field{.key = "name", .help = "What answers call the profile."};
constexpr std::size_t longest_name = 200;
constexpr std::string_view record_key = "fitted_from";  ///< for people: where the numbers come from

void read_field(const Json& value, const FieldText& text, const std::string& path, double& into, Reading& reading) {
  const auto number = read_number(value, text, path, reading);
  if (!number) return;
  if (*number >= text.min && *number <= text.max) {
    into = *number;
  } else {
    reading.fail(path, range_message(text, number_text(*number)));
  }
}

void read_header(const std::string& key, const Json& value, const std::string& path, Profile& profile,
                 Reading& reading) {
  if (key == "name") {
    const auto name = read_string(value, name_field, path, reading);
    if (name && name->size() > longest_name) reading.fail(path, "name is longer than 200 bytes. Shorten it.");
    if (name) profile.name = *name;
    return;
  }
  const auto version = read_integer(value, version_field, path, reading);
  if (version && *version != schema_version) {
    reading.fail(path,
                 "schema_version is " + number_text(*version) + ". Allowed: " + number_text(schema_version) + '.');
  }
}

}  // namespace

Result<Profile> read_profile(const Json& document, const std::string& path, Profile base) {
  Reading reading;
  if (!expect_object(document, "profile", path, reading)) return std::move(reading.issues);
  for (const auto& [key, value] : document.items()) {
    const std::string at = child_path(path, key);
    if (key == "schema_version" || key == "name") {
      read_header(key, value, at, base, reading);
      continue;
    }
    if (std::find(profile_table_keys.begin(), profile_table_keys.end(), key) != profile_table_keys.end()) {
      read_profile_table(key, value, at, base.measured, reading);
      continue;
    }
    if (key == record_key) {
      (void)expect_object(value, record_key, at, reading);
      continue;
    }
    bool found = false;
    std::vector<std::string_view> known{"schema_version", "name", record_key};
    known.insert(known.end(), profile_table_keys.begin(), profile_table_keys.end());
    profile_fields(base, [&, &k = key, &v = value](const FieldText& text, double& into) {
      known.push_back(text.key);
      if (text.key != k) return;
      found = true;
      read_field(v, text, at, into, reading);
    });
    if (!found) report_unknown(key, path, known, {}, reading);
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  return base;
}

}  // namespace meshgauge
