// What files measured, for people: a few lines a run, what is open, what could not be read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

[[nodiscard]] std::string import_report(const nlohmann::ordered_json& answer, const Style&);

}  // namespace meshgauge::cli
