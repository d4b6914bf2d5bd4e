// Files of a request: what they are called, and what they hold.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/read_value.hpp"

namespace meshgauge {

struct NamedText {
  std::string name;
  std::string_view text;
};

/// `files` of the request: a list of {"name", "text"}, one or more; `name` may be left out, or be called `file`. The
/// texts are the request's.
[[nodiscard]] std::vector<NamedText> read_named_texts(const nlohmann::ordered_json& request, Reading&);

}  // namespace meshgauge
