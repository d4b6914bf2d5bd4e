// A scenario document to a resolved scenario: every problem of it at once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/io/layout_fields.hpp"
#include "core/io/read_value.hpp"
#include "core/issue.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {

/// Reads, looks names up in the catalog, fills in defaults and checks every rule. Paths are relative to the document.
[[nodiscard]] Result<Resolution> read_scenario(const nlohmann::ordered_json& document);

/// The same, but nothing is filled in and no rule is checked. Its `unread` fields have issues.
[[nodiscard]] ScenarioRequest read_request(const nlohmann::ordered_json& document, Reading&);

/// The `model` of a document: a name of the catalog, or an object with the keys of a config.json.
[[nodiscard]] std::optional<ModelShape> read_model(const nlohmann::ordered_json& document, Reading&);
/// A document that holds some of a layout's fields and nothing else.
[[nodiscard]] ScenarioRequest read_layout(const nlohmann::ordered_json& document, const LayoutFields&, Reading&);
/// The cluster section alone. Paths begin with /cluster.
[[nodiscard]] Result<Cluster> read_cluster(const nlohmann::ordered_json& section);

}  // namespace meshgauge
