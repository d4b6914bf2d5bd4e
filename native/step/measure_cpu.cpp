#include "native/step/cpu_backend.hpp"
#include "native/step/measure.hpp"

namespace meshgauge::step {

Measured measure_on_cpu(harness::Runtime& runtime, const MeasurePlan& plan) {
  return measure<CpuBackend>(runtime, plan);
}

}  // namespace meshgauge::step
