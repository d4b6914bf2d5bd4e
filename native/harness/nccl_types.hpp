// NCCL's names for our elements and reductions.
#pragma once

#include <nccl.h>

#include "native/harness/element.hpp"

namespace meshgauge::harness {

inline constexpr bool nccl_has_fp8 = NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0);

[[nodiscard]] constexpr ncclDataType_t nccl_type(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return ncclInt8;
    case ElementType::uint8:
      return ncclUint8;
    case ElementType::int32:
      return ncclInt32;
    case ElementType::uint32:
      return ncclUint32;
    case ElementType::int64:
      return ncclInt64;
    case ElementType::uint64:
      return ncclUint64;
    case ElementType::half:
      return ncclFloat16;
    case ElementType::float32:
      return ncclFloat32;
    case ElementType::float64:
      return ncclFloat64;
    case ElementType::bfloat16:
      return ncclBfloat16;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0)
    case ElementType::f8e4m3:
      return ncclFloat8e4m3;
    case ElementType::f8e5m2:
      return ncclFloat8e5m2;
#else
    case ElementType::f8e4m3:
    case ElementType::f8e5m2:
      return ncclUint8;  // moved, not reduced
#endif
  }
  return ncclUint8;
}

[[nodiscard]] constexpr ncclRedOp_t nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return ncclSum;
    case ReduceOp::prod:
      return ncclProd;
    case ReduceOp::min:
      return ncclMin;
    case ReduceOp::max:
      return ncclMax;
    case ReduceOp::avg:
      return ncclAvg;
  }
  return ncclSum;
}

}  // namespace meshgauge::harness
