// The command that measures all that calibration needs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshgauge::harness {

int run_suite(std::string_view name, std::span<const std::string> arguments);

}  // namespace meshgauge::harness
