#include "core/io/api_with_files.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/answer_text.hpp"
#include "core/io/calibrate.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText command_field{.key = "command", .help = "What is asked for."};
constexpr auto commands = std::to_array<std::string_view>({"import", "calibrate"});
constexpr auto import_fields = std::to_array<std::string_view>({"command", "place"});

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
  if (command && commands[*command] == "import") {
    for (const auto& [key, value] : request.items()) {
      if (key != "command" && key != "place" && key != "files") report_unknown(key, "", import_fields, {}, reading);
    }
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (commands[*command] == "calibrate") return calibrate_files(files, request);
  return import_files(files, request.value("place", Json()));
}

}  // namespace

std::string api_with_files(std::string_view request_json, std::span<const NamedText> files) {
  const Result<Json> request = parse_json(request_json);
  if (!request.ok()) return answer_text(request.issues, Json());
  return answer_text(request.issues, answer_request(*request.value, files));
}

}  // namespace meshgauge
