// Handbook cases: what a textbook says, what follows, and the scenario that shows it.
#include "core/io/handbook.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge {

using Json = nlohmann::ordered_json;

Result<Json> find_case(std::string_view id, std::string_view path) {
  Json cases = handbook_cases();
  std::vector<std::string> ids;
  for (Json& entry : cases) {
    if (entry["id"] == id) return {std::move(entry)};
    ids.push_back(entry["id"].get<std::string>());
  }
  const std::vector<std::string_view> known(ids.begin(), ids.end());
  const std::string guess = did_you_mean(id, known);
  return Issues{{std::string(path), "There is no handbook case " + in_quotes(id) + '.' +
                                        (guess.empty() ? " Known: " + list_text(known) + '.' : guess)}};
}

}  // namespace meshgauge
