// One measured run as users and converters write it, a line of JSON Lines each.
#include "core/io/read_run.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/io/parse.hpp"
#include "core/io/read_timing.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto run_keys =
    std::to_array<std::string_view>({"id", "source", "family", "kind", "scenario", "measured", "notes", "skipped"});
constexpr auto measured_keys = std::to_array<std::string_view>(
    {"step_seconds", "allocated_bytes", "reserved_bytes", "device_bytes", "out_of_memory", "rank"});

constexpr FieldText kind_field{.key = "kind", .fallback = "run", .help = "What was measured."};
constexpr FieldText step_field{"step_seconds", "seconds", 1e-9, 1e9, "", "One optimizer step."};
constexpr std::array<FieldText, memory_kind_count> memory_fields{{
    {"allocated_bytes", "bytes", 1, limit::memory, "", "Peak of the tensors."},
    {"reserved_bytes", "bytes", 1, limit::memory, "", "Peak of what the allocator holds."},
    {"device_bytes", "bytes", 1, limit::memory, "", "Peak of everything on the card."},
}};
constexpr FieldText out_of_memory_field{.key = "out_of_memory", .help = "Whether the run failed for want of memory."};
constexpr FieldText rank_field{.key = "rank", .fallback = "max", .help = "The pipeline rank whose memory was read."};

std::string text_of(const Json& document, std::string_view key, const std::string& path, Reading& reading) {
  const auto found = document.find(key);
  if (found == document.end()) return {};
  return read_string(*found, FieldText{.key = key}, child_path(path, key), reading).value_or(std::string{});
}

void read_measured_value(const std::string& key, const Json& value, const std::string& path, Measured& measured,
                         Reading& reading) {
  if (key == step_field.key) {
    if (const auto seconds = number_in_range(value, step_field, path, reading)) measured.step = Seconds{*seconds};
  } else if (key == out_of_memory_field.key) {
    measured.judged = !value.is_null();
    if (measured.judged) measured.out_of_memory = read_boolean(value, out_of_memory_field, path, reading);
  } else if (key == rank_field.key) {
    const auto choice = read_choice(value, rank_field, all_names<MeasuredRank>(), path, reading);
    if (choice) measured.rank = static_cast<MeasuredRank>(*choice);
  }
  for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
    if (key != memory_fields[kind].key) continue;
    if (const auto bytes = number_in_range(value, memory_fields[kind], path, reading))
      measured.memory[kind] = Bytes{*bytes};
  }
}

Measured read_measured(const Json& document, const std::string& path, Reading& reading) {
  Measured measured;
  const auto found = document.find("measured");
  const std::string at = path + "/measured";
  if (found == document.end()) {
    reading.fail(at, "measured is missing. Expected: an object with " + list_text(measured_keys) + '.');
    return measured;
  }
  if (!expect_object(*found, "measured", at, reading)) return measured;
  const std::size_t issues_before = reading.issues.size();
  for (const auto& [key, value] : found->items()) {
    const bool known = std::find(measured_keys.begin(), measured_keys.end(), key) != measured_keys.end();
    if (known) {
      read_measured_value(key, value, child_path(at, key), measured, reading);
    } else {
      report_unknown(key, at, measured_keys, {}, reading);
    }
  }
  if (reading.issues.size() == issues_before && !measured.has_number() && !measured.out_of_memory) {
    constexpr std::span<const std::string_view> values(measured_keys.data(), measured_keys.size() - 1);
    reading.fail(at, "Nothing is measured. Allowed: any of " + list_text(values) + '.');
  }
  return measured;
}

/// A run where nothing is said.
Kind kind_of(const Json& document, const std::string& path, Reading& reading) {
  const auto found = document.find("kind");
  if (found == document.end()) return Kind::run;
  const auto kind = read_choice(*found, kind_field, all_names<Kind>(), path + "/kind", reading);
  return kind ? static_cast<Kind>(*kind) : Kind::run;
}

}  // namespace

Result<RunDocument> read_run(const Json& document, std::int64_t line, const std::string& path) {
  Reading reading;
  RunDocument result;
  if (!expect_object(document, "The run", path, reading)) return std::move(reading.issues);
  MeasuredRun& run = result.run;
  run.id = text_of(document, "id", path, reading);
  if (run.id.empty()) run.id = '#' + std::to_string(line);
  run.source = text_of(document, "source", path, reading);
  run.family = text_of(document, "family", path, reading);
  if (run.family.empty()) run.family = run.source;

  const Kind kind = kind_of(document, path, reading);
  if (document.contains("skipped")) {
    result.skipped = text_of(document, "skipped", path, reading);
    if (reading.issues.empty() && result.skipped.empty()) {
      reading.fail(path + "/skipped", "skipped is empty. Say why the run cannot be compared, or leave the field out.");
    }
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (!result.skipped.empty()) return result;  // whatever else it holds, nobody reads it

  if (kind != Kind::run) {
    result.timing = read_timing(document, kind == Kind::collective, path, reading);
    if (!reading.issues.empty()) return std::move(reading.issues);
    return result;
  }
  for (const auto& [key, value] : document.items()) {
    if (std::find(run_keys.begin(), run_keys.end(), key) == run_keys.end()) {
      report_unknown(key, path, run_keys, {}, reading);
    }
  }
  (void)text_of(document, "notes", path, reading);
  const auto scenario = document.find("scenario");
  if (scenario == document.end()) {
    reading.fail(path + "/scenario", "scenario is missing. Expected: an object.");
  } else {
    (void)expect_object(*scenario, "scenario", path + "/scenario", reading);
  }
  run.measured = read_measured(document, path, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return result;
}

}  // namespace meshgauge
