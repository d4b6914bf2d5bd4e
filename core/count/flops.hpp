// Work of a step, hardware-free: every matrix product, attention core and memory-bound pass of a layer, and FLOP totals.
#pragma once

#include <cstdint>

#include "core/count/parameters.hpp"
#include "core/count/stage.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

enum class OpKind { gemm, grouped_gemm, attention, memory_bound };

/// One kind of kernel, as one rank runs it for one micro-batch.
struct Op {
  const char* id;   ///< "qkv", "attention_core", "mlp_up", ...
  OpKind kind;
  double m = 0, n = 0, k = 0;  ///< GEMM shape (rows, columns, depth); grouped: per expert
  double groups = 1;           ///< grouped GEMM: local experts
  double flops = 0;            ///< executed, forward
  double bytes = 0;            ///< memory-bound: bytes moved, forward
  double launches = 1;         ///< kernels
};

/// Which of the three passes an op's shape is priced for: dgrad and wgrad swap dimensions.
enum class Pass { forward, backward_input, backward_weight };

/// Calls `sink(const Op&)` for each op of one layer's forward, in order.
template <class Sink>
void layer_ops(const Scenario&, LayerKind, Sink&& sink);
/// The LM head, final norm and loss (m = tokens of a micro-batch).
template <class Sink>
void head_ops(const Scenario&, Sink&& sink);
template <class Sink>
void embedding_ops(const Scenario&, Sink&& sink);

/// FLOP totals of one step over the whole job.
struct StepFlops {
  double model_causal = 0;      ///< attention core halved by the causal mask (Megatron-LM, training.py)
  double model_full = 0;        ///< attention core counted in full (PaLM, torchtitan, Narayanan 2021)
  double hardware = 0;          ///< causal, plus what recompute runs again (HFU)
};
[[nodiscard]] StepFlops step_flops(const Scenario&);

}  // namespace meshgauge

#include "core/count/flops_ops.hpp"
