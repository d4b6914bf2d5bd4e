#include "core/io/answer_text.hpp"

#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/io/write_issues.hpp"

namespace meshgauge {

using Json = nlohmann::ordered_json;

namespace {

/// Paths of issues are those of the scenario document.
Issues in_scenario(Issues issues) {
  constexpr std::string_view scenario = "/scenario";
  for (Issue& issue : issues) {
    if (issue.path.rfind("/scenario/", 0) == 0) issue.path.erase(0, scenario.size());
  }
  return issues;
}

}  // namespace

std::string answer_text(Issues of_request, const Result<Json>& answer) {
  of_request = in_scenario(std::move(of_request));
  of_request.insert(of_request.end(), answer.issues.begin(), answer.issues.end());
  const bool answered = of_request.empty() && answer.ok();
  const Json refusal = {{"ok", false}, {"issues", write_issues(capped(std::move(of_request)))}};
  // Bytes that are not UTF-8 cannot come from a parsed request; those of a file are replaced rather than thrown at.
  return (answered ? *answer.value : refusal).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace meshgauge
