// A scenario document to a resolved scenario: every problem of it at once.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/issue.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {

/// Reads, looks names up in the catalog, fills in defaults and checks every rule. Paths are relative to the document.
[[nodiscard]] Result<Resolution> read_scenario(const nlohmann::ordered_json& document);

/// The cluster section alone. Paths begin with /cluster.
[[nodiscard]] Result<Cluster> read_cluster(const nlohmann::ordered_json& section);

}  // namespace meshgauge
