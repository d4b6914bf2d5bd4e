// The scenario of a request, an object or the name of a handbook case, and the profile beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/read_value.hpp"
#include "core/price/profile.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {

struct AskedDocument {
  nlohmann::ordered_json document;       ///< as given; that of the case, if one was named
  nlohmann::ordered_json handbook_case;  ///< null, unless one was named
};

struct AskedScenario : AskedDocument {
  Resolution resolution;
};

/// What stands under "scenario". Nothing, and the problem in `reading`, if it is no object in the end.
[[nodiscard]] std::optional<AskedDocument> read_asked_document(const nlohmann::ordered_json& request, Reading& reading);

/// The same read as a scenario. Nothing, and every problem in `reading`, if it cannot be computed.
[[nodiscard]] std::optional<AskedScenario> read_asked_scenario(const nlohmann::ordered_json& request, Reading& reading);

/// What stands under "profile" over the default one of the cluster. Nothing, and every problem in `reading`, if it
/// cannot be used.
[[nodiscard]] std::optional<Profile> read_asked_profile(const nlohmann::ordered_json& request, const Cluster&,
                                                        Reading& reading);

}  // namespace meshgauge
