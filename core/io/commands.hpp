// The commands behind the door, each from a request object to an answer or to issues.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/issue.hpp"

namespace meshgauge {

[[nodiscard]] Result<nlohmann::ordered_json> estimate_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> advise_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> band_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> plan_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> solve_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> validate_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> calibrate_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> diagnose_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> check_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> import_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> launch_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> read_config_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> groups_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> batch_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> catalog_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> curve_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> describe_command(const nlohmann::ordered_json& request);
[[nodiscard]] Result<nlohmann::ordered_json> detail_command(const nlohmann::ordered_json& request);

}  // namespace meshgauge
