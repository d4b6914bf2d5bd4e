// A collective or a kernel that was timed alone, as a line of JSON Lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/io/read_value.hpp"
#include "core/validate/timing.hpp"

namespace meshgauge {

/// Of `{"id", "kind": "collective", "cluster", "collective": {"operation", "bytes", "ranks", "ranks_per_node"},
/// "measured": {"seconds", "floor_seconds"}}`, or with `"kernel": {"op", "format", "m", "n", "k", ...}`, everything but
/// the cluster: whether the catalog knows it is not a question of the line's form.
[[nodiscard]] Timing read_timing(const nlohmann::ordered_json& document, bool collective, const std::string& path,
                                 Reading&);

}  // namespace meshgauge
