// The answer to `describe`: every field of a scenario, and every word that answers use.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace meshgauge {

[[nodiscard]] nlohmann::ordered_json write_description();

}  // namespace meshgauge
