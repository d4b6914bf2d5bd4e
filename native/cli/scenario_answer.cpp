// Asking the core about the scenario of the flags, and refusing with every problem at once.
#include "native/cli/scenario_answer.hpp"

#include <algorithm>

#include "core/io/api.hpp"
#include "native/cli/answer.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The core's issues, less those of flags of which something was said already. Of a scenario that is not `whole` only
/// what was asked for by flags is judged: the rest is not missing, it could not be read.
void add_issues_of(const Json& answer, const ScenarioRequestText& filled, Issues& issues) {
  const Issues said = issues;
  for (Issue& issue : issues_in(answer)) {
    if (issue.path == "/scenario") issue.path.clear();
    const auto inside = [&](const std::string& path) {
      return issue.path.rfind(path, 0) == 0 && (issue.path.size() == path.size() || issue.path[path.size()] == '/');
    };
    const bool asked = std::any_of(filled.flags.begin(), filled.flags.end(),
                                   [&](const FlagOfPath& flag) { return inside(flag.path); });
    const bool known = asked && std::any_of(said.begin(), said.end(), [&](const Issue& other) {
                         return !other.path.empty() && inside(other.path);
                       });
    if (!known && (filled.whole || asked)) issues.push_back(std::move(issue));
  }
}

}  // namespace

ScenarioAnswer ask_about_scenario(Json request, const ScenarioInput& input, const Parsed& parsed, bool json) {
  ScenarioRequestText filled = fill_request(input, request);
  Issues issues = at_paths(parsed.bad, filled);
  issues.insert(issues.end(), filled.issues.begin(), filled.issues.end());
  // Without a document, what an argument that is not understood stood for would be called missing.
  if (!parsed.bad.empty() && input.document.empty()) filled.whole = false;
  std::string text = api(as_text(request));
  Json answer = Json::parse(text);
  const bool ok = answer["ok"].get<bool>();
  if (issues.empty() && ok) return {std::move(answer), std::move(text), done};
  if (issues.empty() && json) return {std::nullopt, {}, print(text + '\n', bad_input)};
  if (!ok) add_issues_of(answer, filled, issues);
  return {std::nullopt, {}, refuse(issues, json, filled.flags)};
}

}  // namespace meshgauge::cli
