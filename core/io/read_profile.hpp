// A profile document: measured prices that replace the datasheet's, field by field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/issue.hpp"
#include "core/price/profile.hpp"

namespace meshgauge {

/// `base` with the fields of the document in their places. `path` is the pointer of the document.
[[nodiscard]] Result<Profile> read_profile(const nlohmann::ordered_json& document, const std::string& path,
                                           Profile base);

}  // namespace meshgauge
