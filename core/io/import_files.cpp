// The command `import`: texts in, what they measured, what they leave open and what could not be read out.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/calibrate/import/nccl_operation.hpp"
#include "core/io/commands.hpp"
#include "core/io/import.hpp"
#include "core/io/parse.hpp"
#include "core/io/write_import.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "files", "place"});
constexpr auto place_fields =
    std::to_array<std::string_view>({"gpu", "ranks", "ranks_per_node", "gpus_per_node", "library", "cpu", "operation"});

constexpr FieldText gpu_field{.key = "gpu", .help = "The GPU, where a file does not say it."};
constexpr FieldText library_field{.key = "library", .help = "Library and version."};
constexpr FieldText cpu_field{.key = "cpu", .fallback = "false", .help = "Ranks hold host memory."};
constexpr FieldText operation_field{.key = "operation", .help = "The collective, where a file does not say it."};
constexpr FieldText ranks_field{"ranks", "ranks", 1, limit::gpus, "", "Of the group, where a file does not say it."};
constexpr FieldText per_node_field{"ranks_per_node", "ranks", 1, limit::gpus, "", "Those in one node."};
constexpr FieldText gpus_field{"gpus_per_node", "GPUs", 1, limit::gpus, "", "Those of a node that took part."};

void read_count(const Json& value, const FieldText& field, const std::string& path, Reading& reading,
                std::int64_t& to) {
  to = integer_in_range(value, field, path, reading).value_or(to);
}

void read_operation(const Json& value, const std::string& path, Reading& reading, std::string& to) {
  const auto name = read_string(value, operation_field, path, reading);
  if (!name) return;
  to = operation_named(*name);
  if (to.empty()) {
    reading.fail(path, "operation is " + in_quotes(*name) + ". Allowed: " + list_text(operation_names()) + '.');
  }
}

}  // namespace

KnownPlace read_place(const Json& place, const std::string& path, Reading& reading) {
  KnownPlace known;
  if (place.is_null() || !expect_object(place, "place", path, reading)) return known;
  for (const auto& [key, value] : place.items()) {
    const std::string at = child_path(path, key);
    if (key == "gpu") known.place.gpu = read_string(value, gpu_field, at, reading).value_or("");
    if (key == "library") known.place.library = read_string(value, library_field, at, reading).value_or("");
    if (key == "cpu") known.place.cpu = read_boolean(value, cpu_field, at, reading).value_or(false);
    if (key == "operation") read_operation(value, at, reading, known.operation);
    if (key == "ranks") read_count(value, ranks_field, at, reading, known.place.ranks);
    if (key == "ranks_per_node") read_count(value, per_node_field, at, reading, known.place.ranks_per_node);
    if (key == "gpus_per_node") read_count(value, gpus_field, at, reading, known.place.gpus_per_node);
    if (std::find(place_fields.begin(), place_fields.end(), key) == place_fields.end()) {
      report_unknown(key, path, place_fields, {}, reading);
    }
  }
  return known;
}

Result<Json> import_files(std::span<const NamedText> files, const Json& place) {
  Reading reading;
  const KnownPlace known = read_place(place, "/place", reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  Json list = Json::array();
  for (const NamedText& file : files) list.push_back(write_imported(file.name, import_text(file.text, known)));
  return Json{{"ok", true}, {"schema_version", schema_version}, {"files", std::move(list)}};
}

Result<Json> import_command(const Json& request) {
  Reading reading;
  report_unknown_fields(request, "", request_fields, reading);
  const std::vector<NamedText> files = read_named_texts(request, reading);
  const Json place = request.contains("place") ? request["place"] : Json(nullptr);
  (void)read_place(place, "/place", reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return import_files(files, place);
}

}  // namespace meshgauge
