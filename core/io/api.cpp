// The one door: JSON text in, JSON text out.
#include "core/io/api.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/io/command_table.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_issues.hpp"
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

Json refusal(const Issues& issues) { return {{"ok", false}, {"issues", write_issues(issues)}}; }

/// Paths of issues are those of the scenario document.
Issues in_scenario(Issues issues) {
  constexpr std::string_view scenario = "/scenario";
  for (Issue& issue : issues) {
    if (issue.path.rfind("/scenario/", 0) == 0) issue.path.erase(0, scenario.size());
  }
  return issues;
}

/// Bytes that are not UTF-8 cannot come from a parsed request; should any, they are replaced rather than thrown at.
std::string text_of(const Json& answer) { return answer.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string api(std::string_view request_json) {
  const Result<Json> request = parse_json(request_json);
  if (!request.ok()) return text_of(refusal(capped(request.issues)));
  Issues issues = in_scenario(request.issues);
  const Result<Json> answer = answer_request(*request.value);
  issues.insert(issues.end(), answer.issues.begin(), answer.issues.end());
  return text_of(issues.empty() ? *answer.value : refusal(capped(std::move(issues))));
}

}  // namespace meshgauge
