// The commands that measure one collective.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshgauge::harness {

int run_collective(std::string_view name, std::span<const std::string> arguments);

}  // namespace meshgauge::harness
