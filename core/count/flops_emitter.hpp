// Writes down the kernels of a layer one by one, and adds up the weights that they multiply with.
#pragma once

#include "core/count/flops_sizes.hpp"
#include "core/count/op.hpp"

namespace meshgauge::ops {

/// Emits ops, and keeps the number of weights that they multiply with.
template <class Sink>
struct Emitter {
  const Scenario& scenario;
  const WorkSizes& z;
  const PassStyle& style;
  Sink& sink;
  double weights = 0;

  void gemm(const char* id, double m, double n, double k, OpModule module = OpModule::other, double kernels = 1) {
    weights += n * k;
    sink(Op{.id = id,
            .kind = OpKind::gemm,
            .module = module,
            .m = m,
            .n = n,
            .k = k,
            .low_precision = true,
            .flops = 2 * m * n * k,
            .backward_flops = 4 * m * n * k,
            .kernels = kernels,
            .backward_kernels = 2 * kernels});
  }

  void grouped(const char* id, double rows, double groups, double n, double k) {
    weights += groups * n * k;
    sink(Op{.id = id,
            .kind = OpKind::grouped_gemm,
            .m = rows / groups,
            .n = n,
            .k = k,
            .groups = groups,
            .low_precision = true,
            .flops = 2 * rows * n * k,
            .backward_flops = 4 * rows * n * k,
            .backward_kernels = 2});
  }

  /// `bytes` for 16-bit activations.
  void pass(const char* id, double bytes, OpModule module = OpModule::other, double kernels = 1) {
    if (bytes == 0) return;
    const double moved = bytes * z.w / 2;
    sink(Op{.id = id,
            .kind = OpKind::memory_bound,
            .module = module,
            .bytes = moved,
            .backward_bytes = style.backward * moved,
            .kernels = kernels,
            .backward_kernels = kernels});
  }

  void norms(double count, double width) {
    pass("norm", count * style.norm * width * z.Tu, OpModule::layernorm, count * style.norm_kernels);
  }
};

}  // namespace meshgauge::ops
