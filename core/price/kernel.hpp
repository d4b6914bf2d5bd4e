// Seconds of a kernel that is timed alone: cooler, hence faster, than the same kernel inside a training step.
#pragma once

#include <array>

#include "core/price/gemm.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

enum class KernelOp {
  gemm,
  gemm_backward,  ///< both backward products of an m x n x k forward
  grouped_gemm,
  attention_forward,
  attention_backward,
  attention_both,  ///< forward and backward together, as FlashAttention's charts show them
  elementwise,
  norm,
  copy,
  optimizer
};
MESHGAUGE_NAMES(KernelOp, "gemm", "gemm_backward", "grouped_gemm", "attention_forward", "attention_backward",
                "attention_both", "elementwise", "norm", "copy", "optimizer");

/// flash2, flash3: Dao-AILab; cudnn: NVIDIA's, also in Transformer Engine; trtllm: TensorRT-LLM's; flashinfer: the same
/// generation inside vLLM and SGLang; aiter: AMD's.
enum class AttentionKernel { flash2, flash3, cudnn, trtllm, flashinfer, aiter };
MESHGAUGE_NAMES(AttentionKernel, "flash2", "flash3", "cudnn", "trtllm", "flashinfer", "aiter");

/// Fields that an op does not use are ignored.
struct KernelCall {
  KernelOp op = KernelOp::gemm;
  MatmulFormat format = MatmulFormat::bf16;
  double m = 0, n = 0, k = 0, groups = 1;  ///< m x k by k x n, of one group
  ProductPass pass = ProductPass::forward;
  bool block_scaled = false;     ///< fp8 with a scale for each 128 elements
  bool quantises_input = false;  ///< the first operand is cast from 16 bits in the same call
  bool sustained = false;        ///< repeated until the chip is as warm as in training
  double batch = 1, heads = 0, kv_heads = 0, head_width = 0, sequence = 0;
  bool causal = false;
  bool paged = false;  ///< keys and values in pages: inference engines
  AttentionKernel attention = AttentionKernel::flash2;
  double bytes = 0;  ///< moved by a memory-bound kernel at least
};

[[nodiscard]] constexpr bool is_product(KernelOp op) {
  return op == KernelOp::gemm || op == KernelOp::gemm_backward || op == KernelOp::grouped_gemm;
}

struct KernelTime {
  Seconds seconds{};
  double low = 1, high = 1;  ///< what nine of ten measurements were over the prediction
};

[[nodiscard]] KernelTime kernel_time(const Gpu&, const KernelCall&);

}  // namespace meshgauge
