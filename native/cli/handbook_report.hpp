// The figures of a handbook case as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace meshgauge::cli {

/// A row for each figure: what it is, what the text says, what follows, and the formula with its numbers.
[[nodiscard]] std::string figure_table(const nlohmann::ordered_json& figures);

}  // namespace meshgauge::cli
