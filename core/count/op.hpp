// One kind of kernel of a layer: what is computed and moved, and how often it is launched.
#pragma once

namespace meshgauge {

enum class OpKind { gemm, grouped_gemm, attention, memory_bound };

/// The part of a layer that an op belongs to, as selective recompute names it (Megatron-LM --recompute-modules).
enum class OpModule { other, core_attention, layernorm, mlp, moe_activation, mla_up_projection };

/// One kind of kernel, as one rank runs it for one micro-batch.
struct Op {
  const char* id;  ///< "qkv", "attention_core", "mlp_up", ...
  OpKind kind = OpKind::gemm;
  OpModule module = OpModule::other;
  double m = 0, n = 0, k = 0;  ///< GEMM: rows, columns, depth; grouped: of one expert. Attention: k is the head width
  double groups = 1;           ///< grouped GEMM: local experts
  bool low_precision = false;  ///< GEMM: runs in fp8 under an fp8 recipe
  double flops = 0;            ///< executed, forward
  double backward_flops = 0;   ///< executed, backward
  double bytes = 0;            ///< beside a product's own operands: bytes moved, forward
  double backward_bytes = 0;
  double kernels = 1;  ///< launches, forward
  double backward_kernels = 1;
};

}  // namespace meshgauge
