// Numbers for kernels to work on: of zeros alone a GPU draws less power and runs faster than on data.
#pragma once

#include <cstddef>

#include "core/price/gemm.hpp"
#include "native/harness/device.hpp"

namespace meshgauge::harness {

/// `bytes` of numbers between -1 and 1 in the format, the same ones each time for a seed.
[[nodiscard]] Buffer random_operands(Device&, MatmulFormat, std::size_t bytes, unsigned seed);

}  // namespace meshgauge::harness
