// The dense datasheet rate that MFU is a share of.
#pragma once

#include "core/scenario/cluster.hpp"
#include "core/scenario/training.hpp"

namespace meshgauge {

/// Of the part's nearest format where it lacks the precision's own.
[[nodiscard]] inline FlopsPerSecond peak_of(const Gpu& gpu, Precision precision) {
  const FlopsPerSecond half = gpu.bf16.value > 0 ? gpu.bf16 : gpu.fp16.value > 0 ? gpu.fp16 : gpu.fp32;
  const auto known = [](FlopsPerSecond rate, FlopsPerSecond otherwise) { return rate.value > 0 ? rate : otherwise; };
  switch (precision) {
    case Precision::fp32:
      return gpu.fp32;
    case Precision::tf32:
      return known(gpu.tf32, gpu.fp32);
    case Precision::fp16:
      return known(gpu.fp16, half);
    case Precision::fp8:
    case Precision::mxfp8:
      return known(gpu.fp8, half);
    case Precision::nvfp4:
      return known(gpu.fp4, half);
    case Precision::bf16:
    case Precision::pure_bf16:
      return half;
  }
  return half;
}

}  // namespace meshgauge
