// The one door: JSON text in, JSON text out.
#include "core/io/api.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/io/answer_text.hpp"
#include "core/io/command_table.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText command_field{.key = "command", .help = "What is asked for."};

Result<Json> answer_request(const Json& request) {
  Reading reading;
  if (!expect_object(request, "The request", "", reading)) return std::move(reading.issues);
  const std::span<const Command> commands = command_table();
  std::vector<std::string_view> names;
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.name);
  if (!request.contains("command")) {
    reading.fail("/command", "command is missing. Allowed: " + list_text(names) + '.');
    return std::move(reading.issues);
  }
  const auto choice = read_choice(request["command"], command_field, names, "/command", reading);
  if (!choice) return std::move(reading.issues);
  return commands[*choice].answer(request);
}

}  // namespace

std::string api(std::string_view request_json) {
  const Result<Json> request = parse_json(request_json);
  if (!request.ok()) return answer_text(request.issues, Json());
  return answer_text(request.issues, answer_request(*request.value));
}

}  // namespace meshgauge
