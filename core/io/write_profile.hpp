// A profile as a document that reads back to the same profile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/price/profile.hpp"

namespace meshgauge {

/// The numbers in which it differs from `defaults`, and its tables.
[[nodiscard]] nlohmann::ordered_json write_profile(const Profile&, const Profile& defaults);

}  // namespace meshgauge
