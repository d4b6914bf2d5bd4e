// A transfer over message sizes in an answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/compose/step.hpp"

namespace meshgauge {

/// With its own message, and with what NCCL's cost model says of the other algorithms at each size.
[[nodiscard]] nlohmann::ordered_json write_curve(const Scenario&, const Profile&, const PricedTransfer&,
                                                 const std::vector<double>& sizes);

}  // namespace meshgauge
