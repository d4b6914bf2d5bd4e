// The commands `catalog` and `describe`: what the core knows, and what it can be asked.
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/catalog/catalog.hpp"
#include "core/io/commands.hpp"
#include "core/io/describe.hpp"
#include "core/io/handbook.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto catalog_fields = std::to_array<std::string_view>({"command", "kind", "id"});
constexpr auto describe_fields = std::to_array<std::string_view>({"command"});
constexpr auto kinds = std::to_array<std::string_view>({"models", "gpus", "systems", "handbook"});
constexpr std::size_t handbook_kind = 3;
constexpr std::size_t longest_id = 200;
constexpr FieldText kind_field{.key = "kind", .help = "Which list."};
constexpr FieldText id_field{.key = "id", .help = "One entry of it."};

Json parsed(const CatalogEntry& entry) { return *parse_json(entry.json).value; }  // a test reads every entry

Json all_entries(std::size_t kind) {
  if (kind == handbook_kind) return handbook_cases();
  Json list = Json::array();
  for (const CatalogEntry& entry : catalog_entries(static_cast<CatalogKind>(kind))) list.push_back(parsed(entry));
  return list;
}

Result<Json> one_entry(std::size_t kind, const std::string& id) {
  if (id.size() > longest_id) return Issues{{"/id", "There is no entry " + shown(Json(id)) + '.'}};
  if (kind == handbook_kind) return find_case(id, "/id");
  Result<CatalogEntry> found = find_entry(static_cast<CatalogKind>(kind), id, "/id");
  if (!found.ok()) return std::move(found.issues);
  return {parsed(*found.value)};
}

}  // namespace

Result<Json> catalog_command(const Json& request) {
  Reading reading;
  std::optional<std::size_t> kind;
  std::optional<std::string> id;
  for (const auto& [key, value] : request.items()) {
    if (key == "kind") {
      kind = read_choice(value, kind_field, kinds, "/kind", reading);
    } else if (key == "id") {
      id = read_string(value, id_field, "/id", reading);
    } else if (key != "command") {
      report_unknown(key, "", catalog_fields, {}, reading);
    }
  }
  if (!request.contains("kind")) reading.fail("/kind", "kind is missing. Allowed: models, gpus, systems, handbook.");
  if (!reading.issues.empty()) return std::move(reading.issues);

  Json answer;
  answer["ok"] = true;
  answer["kind"] = kinds[*kind];
  if (!id) {
    answer["entries"] = all_entries(*kind);
    return {std::move(answer)};
  }
  Result<Json> entry = one_entry(*kind, *id);
  if (!entry.ok()) return std::move(entry.issues);
  answer["entry"] = std::move(*entry.value);
  return {std::move(answer)};
}

Result<Json> describe_command(const Json& request) {
  Reading reading;
  for (const auto& [key, value] : request.items()) {
    if (key != "command") report_unknown(key, "", describe_fields, {}, reading);
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  return {write_description()};
}

}  // namespace meshgauge
