// Types and reductions of a collective's elements, named as nccl-tests names them.
#pragma once

#include <cstddef>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class ElementType { int8, uint8, int32, uint32, int64, uint64, half, float32, float64, bfloat16, f8e4m3, f8e5m2 };
MESHGAUGE_NAMES(ElementType, "int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double",
                "bfloat16", "f8e4m3", "f8e5m2");

enum class ReduceOp { sum, prod, min, max, avg };
MESHGAUGE_NAMES(ReduceOp, "sum", "prod", "min", "max", "avg");

[[nodiscard]] constexpr std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::f8e4m3:
    case ElementType::f8e5m2:
      return 1;
    case ElementType::half:
    case ElementType::bfloat16:
      return 2;
    case ElementType::int32:
    case ElementType::uint32:
    case ElementType::float32:
      return 4;
    case ElementType::int64:
    case ElementType::uint64:
    case ElementType::float64:
      return 8;
  }
  return 1;
}

}  // namespace meshgauge
