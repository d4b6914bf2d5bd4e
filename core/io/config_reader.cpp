// Reading numbers, flags and texts out of a config.json.
#include "core/io/config_reader.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/parse.hpp"
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

/// Real keys of configurations on the hub that are one or two letters from ones that are read.
constexpr auto real_keys = std::to_array<std::string_view>({"hidden_sizes", "num_shared_expert", "qk_head_dim"});

/// A letter or two that differ, no more than in a slip; short words have too many neighbours.
bool is_slip(std::string_view key, std::string_view known) {
  constexpr std::size_t shortest = 6, longest = 64, long_word = 12;
  if (key.size() < shortest || known.size() < shortest || key.size() > longest) return false;
  return letters_apart(key, known) <= (known.size() < long_word ? 1 : 2);
}

}  // namespace

const Json* ConfigReader::ask(std::string_view keys) {
  asked_.push_back(keys);
  return find(keys);
}

void ConfigReader::report_misspelt() {
  const std::vector<std::string_view> asked = asked_;
  const auto known = [&](std::string_view key) {
    const auto names = [&](std::string_view keys) {
      while (!keys.empty()) {
        if (next_key(keys) == key) return true;
      }
      return false;
    };
    return std::find(real_keys.begin(), real_keys.end(), key) != real_keys.end() ||
           std::any_of(asked.begin(), asked.end(), names);
  };
  std::vector<std::string_view> missing;
  for (const std::string_view keys : asked) {
    if (find(keys) == nullptr) missing.push_back(keys);
  }
  constexpr std::size_t enough = 1000;  // no config.json has so many keys
  std::size_t looked_at = 0;
  for (const auto& [key, value] : object_.items()) {
    if (++looked_at > enough) return;
    if (value.is_null() || known(key)) continue;
    for (const std::string_view keys : missing) {
      std::string_view rest = keys;
      std::string_view meant;
      while (meant.empty() && !rest.empty()) {
        const std::string_view name = next_key(rest);
        if (is_slip(key, name)) meant = name;
      }
      if (meant.empty()) continue;
      misspelt_.push_back(keys);
      reading_.issues.push_back({child_path(path_, key), "There is no field " + in_quotes(key) +
                                                             " here. Did you mean " + in_quotes(meant) + '?'});
      break;
    }
  }
}

bool ConfigReader::misspelt(std::string_view keys) const {
  return std::find(misspelt_.begin(), misspelt_.end(), keys) != misspelt_.end();
}

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
  const Json* value = ask(keys);
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
  const Json* value = ask(keys);
  if (value == nullptr) return otherwise;
  return read_boolean(*value, {.key = spelled(keys)}, path_of(keys), reading_).value_or(otherwise);
}

std::string ConfigReader::text(std::string_view keys) {
  const Json* value = ask(keys);
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
