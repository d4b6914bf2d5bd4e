#include "native/cli/answer.hpp"

#include <nlohmann/json.hpp>

#include "core/io/api.hpp"
#include "core/io/write_issues.hpp"

namespace meshgauge::cli {

using Json = nlohmann::ordered_json;

std::string as_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json ask(const Json& request) { return Json::parse(api(as_text(request))); }

Json refusal(const Issues& issues) { return {{"ok", false}, {"issues", write_issues(issues)}}; }

Issues issues_in(const Json& answer) {
  Issues issues;
  for (const Json& issue : answer["issues"]) {
    issues.push_back({issue["path"].get<std::string>(), issue["message"].get<std::string>()});
  }
  return issues;
}

}  // namespace meshgauge::cli
