#include "native/cli/answer.hpp"

#include <nlohmann/json.hpp>

#include "core/io/api.hpp"

namespace meshgauge::cli {

using Json = nlohmann::ordered_json;

std::string as_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json ask(const Json& request) { return Json::parse(api(as_text(request))); }

Json refusal(const Issues& issues) {
  Json list = Json::array();
  for (const Issue& issue : issues) list.push_back({{"path", issue.path}, {"message", issue.message}});
  return {{"ok", false}, {"issues", std::move(list)}};
}

Issues issues_in(const Json& answer) {
  Issues issues;
  for (const Json& issue : answer["issues"]) {
    issues.push_back({issue["path"].get<std::string>(), issue["message"].get<std::string>()});
  }
  return issues;
}

}  // namespace meshgauge::cli
