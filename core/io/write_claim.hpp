// A judged claim as an answer.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/claim/judge.hpp"
#include "core/io/read_claim.hpp"

namespace meshgauge {

/// `others` is nothing without a GPU.
[[nodiscard]] nlohmann::ordered_json write_claim(const StatedClaim&, const Judgement&, const Ceiling&,
                                                 const Comparison& others);

}  // namespace meshgauge
