// The command that measures a training step.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshgauge::harness {

int run_attention(std::string_view name, std::span<const std::string> arguments);
int run_step(std::string_view name, std::span<const std::string> arguments);

}  // namespace meshgauge::harness
