// Memory in an answer: totals, range, and every stage's ledger.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/io/stage_memory.hpp"
#include "core/price/profile.hpp"

namespace meshgauge {

/// Whether each line carries its formula, values and source.
enum class Explain { no, yes };

[[nodiscard]] nlohmann::ordered_json write_memory(const Scenario&, const Profile&, const std::vector<StageMemory>&,
                                                  Explain);

}  // namespace meshgauge
