// The configuration files of engines, as texts.
#pragma once

#include <string>

#include "core/scenario/scenario.hpp"

namespace meshgauge::launch {

[[nodiscard]] std::string accelerate_yaml(const Scenario&);
[[nodiscard]] std::string deepspeed_json(const Scenario&);
/// A shell file that sets the array MEGATRON_ARGS.
[[nodiscard]] std::string megatron_arguments(const Scenario&);
[[nodiscard]] std::string torchtitan_toml(const Scenario&);

}  // namespace meshgauge::launch
