// The commands that measure single kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshgauge::harness {

int run_gemm(std::string_view name, std::span<const std::string> arguments);
int run_copy(std::string_view name, std::span<const std::string> arguments);

}  // namespace meshgauge::harness
