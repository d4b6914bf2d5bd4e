#include "native/step/attention_kernel.hpp"
#include "native/step/cpu_backend.hpp"
#include "native/step/measure.hpp"

namespace meshgauge::step {

Measured measure_on_cpu(harness::Runtime& runtime, const MeasurePlan& plan) {
  return measure<CpuBackend>(runtime, plan);
}

std::unique_ptr<AttentionKernel> attention_on_cpu(harness::Runtime& runtime, const AttentionShape& shape,
                                                  AttentionDirection direction, bool half) {
  return attention_of<CpuBackend>(runtime, shape, direction, half);
}

}  // namespace meshgauge::step
