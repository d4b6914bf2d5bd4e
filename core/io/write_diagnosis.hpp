// The parts of a diagnosis as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "core/diagnose/candidates.hpp"
#include "core/diagnose/factors.hpp"
#include "core/diagnose/out_of_memory.hpp"
#include "core/io/stage_memory.hpp"
#include "core/price/profile.hpp"

namespace meshgauge {

[[nodiscard]] nlohmann::ordered_json write_request(const OutOfMemory&);
/// `request` is the index of the request that the tensor may be.
[[nodiscard]] nlohmann::ordered_json write_match(const TensorMatch&, std::size_t request);
[[nodiscard]] nlohmann::ordered_json write_factorisation(const Factorisation&, std::size_t request);
[[nodiscard]] nlohmann::ordered_json write_held(const OutOfMemory&);
[[nodiscard]] nlohmann::ordered_json write_findings(const OutOfMemory&);
/// What the scenario needs by the estimate, on the stage that needs most.
[[nodiscard]] nlohmann::ordered_json write_need(const Scenario&, const Profile&, const StageMemory&);

}  // namespace meshgauge
