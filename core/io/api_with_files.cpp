#include "core/io/api_with_files.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/answer_text.hpp"
#include "core/io/band.hpp"
#include "core/io/calibrate.hpp"
#include "core/io/diagnose.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText command_field{.key = "command", .help = "What is asked for."};
constexpr auto commands = std::to_array<std::string_view>({"import", "calibrate", "diagnose", "band"});
constexpr auto import_fields = std::to_array<std::string_view>({"command", "place"});
constexpr auto diagnose_fields = std::to_array<std::string_view>({"command", "scenario", "profile"});

/// Fields that the command itself does not look at; of files something else is said.
void report_others(Json request, std::span<const std::string_view> known, Reading& reading) {
  request.erase("files");
  report_unknown_fields(request, "", known, reading);
}

Result<Json> answer_request(const Json& request, std::span<const NamedText> files) {
  Reading reading;
  if (!expect_object(request, "The request", "", reading)) return std::move(reading.issues);
  std::optional<std::size_t> command;
  if (request.contains("command")) {
    command = read_choice(request["command"], command_field, commands, "/command", reading);
  } else {
    reading.fail("/command", "command is missing. Allowed: " + list_text(commands) + '.');
  }
  if (request.contains("files")) reading.fail("/files", "The files lie beside this request. Leave files out.");
  const std::string_view name = command ? commands[*command] : std::string_view{};
  if (name == "import") report_others(request, import_fields, reading);
  if (name == "diagnose") report_others(request, diagnose_fields, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (name == "calibrate") return calibrate_files(files, request);
  if (name == "diagnose") return diagnose_files(files, request);
  if (name == "band") return band_files(files, request);
  return import_files(files, request.value("place", Json()));
}

}  // namespace

std::string api_with_files(std::string_view request_json, std::span<const NamedText> files) {
  const Result<Json> request = parse_json(request_json);
  if (!request.ok()) return answer_text(request.issues, Json());
  return answer_text(request.issues, answer_request(*request.value, files));
}

}  // namespace meshgauge
