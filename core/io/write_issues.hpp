// Issues and warnings as answers hold them.
#pragma once

#include <nlohmann/json.hpp>

#include "core/issue.hpp"

namespace meshgauge {

/// `[{"path", "message"}]`
[[nodiscard]] inline nlohmann::ordered_json write_issues(const Issues& issues) {
  auto list = nlohmann::ordered_json::array();
  for (const Issue& issue : issues) list.push_back({{"path", issue.path}, {"message", issue.message}});
  return list;
}

}  // namespace meshgauge
