// The one door: JSON text in, JSON text out.
#include "core/io/api.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/io/commands.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

struct Command {
  std::string_view name;
  Result<Json> (*answer)(const Json& request);
};

constexpr auto commands = std::to_array<Command>({
    {"estimate", estimate_command},
    {"catalog", catalog_command},
    {"describe", describe_command},
});
constexpr FieldText command_field{.key = "command", .help = "What is asked for."};

Result<Json> answer_request(const Json& request) {
  Reading reading;
  if (!expect_object(request, "The request", "", reading)) return std::move(reading.issues);
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

Json refusal(const Issues& issues) {
  Json list = Json::array();
  for (const Issue& issue : issues) list.push_back({{"path", issue.path}, {"message", issue.message}});
  return {{"ok", false}, {"issues", std::move(list)}};
}

/// Bytes that are not UTF-8 cannot come from a parsed request; should any, they are replaced rather than thrown at.
std::string text_of(const Json& answer) { return answer.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string api(std::string_view request_json) {
  const Result<Json> request = parse_json(request_json);
  if (!request.ok()) return text_of(refusal(capped(request.issues)));
  const Result<Json> answer = answer_request(*request.value);
  return text_of(answer.ok() ? *answer.value : refusal(capped(answer.issues)));
}

}  // namespace meshgauge
