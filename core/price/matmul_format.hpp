// The number formats that matrix products are priced in.
#pragma once

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class MatmulFormat { fp32, tf32, bf16, fp16, fp8, fp4 };
MESHGAUGE_NAMES(MatmulFormat, "fp32", "tf32", "bf16", "fp16", "fp8", "fp4");

}  // namespace meshgauge
