// What an optimizer keeps for each parameter, beside the fp32 master weights.
#pragma once

#include "core/count/memory_context.hpp"

namespace meshgauge {

/// Hidden matrices (and experts) may be kept differently from embeddings, norms and head.
struct OptimizerState {
  double matrix_bytes = 0;    ///< per parameter of a hidden matrix
  double other_bytes = 0;     ///< per other parameter
  double matrices = 0;        ///< dense parameters counted with matrix_bytes, this rank
  double others = 0;          ///< dense parameters counted with other_bytes
  double factored_bytes = 0;  ///< row and column statistics (Adafactor), this rank
  const char* source = "";
};

/// Rows plus columns of every matrix of the rank, routed experts included: Adafactor's factored second moment.
[[nodiscard]] inline double rows_and_columns(const MemoryContext& c) {
  const ModelShape& m = c.model();
  const double q = c.a * c.q, kv = c.k * c.q, mats = static_cast<double>(m.mlp_matrices());
  const double attention = (c.h + q / c.t) + 2 * (c.h + kv / c.t) + (q / c.t + c.h);
  const double dense = mats * (c.h + c.f / c.t);
  const auto local_experts = static_cast<double>(m.moe.experts) / static_cast<double>(c.parallelism().expert);
  const double expert =
      local_experts * mats *
      (c.h + static_cast<double>(m.moe.expert_ffn) / static_cast<double>(c.parallelism().expert_tensor));
  const auto layers = static_cast<double>(c.stage.layers() + c.stage.encoder_layers);
  const double tables = (c.stage.embedding ? c.V + c.h : 0) + (c.stage.head && !m.tie_embeddings ? c.V + c.h : 0);
  return layers * attention + static_cast<double>(c.stage.dense_layers + c.stage.encoder_layers) * dense +
         static_cast<double>(c.stage.moe_layers) * expert + tables;
}

[[nodiscard]] inline OptimizerState optimizer_state(const MemoryContext& c) {
  const double P = c.trained_dense();
  // Moments follow the optimizer's parameters: fp32 in mixed precision, else the parameters' own format.
  const double w = c.mixed() ? bytes_of(c.training().moment_dtype) : c.w;
  switch (c.training().optimizer) {
    case Optimizer::adamw:
      return {2 * w, 0, P, 0, 0, "Adam keeps two moments: Loshchilov and Hutter, arXiv:1711.05101"};
    case Optimizer::momentum:
      return {w, 0, P, 0, 0, "torch/optim/sgd.py: one momentum buffer"};
    case Optimizer::lion:
      return {w, 0, P, 0, 0, "Chen et al. 2023, arXiv:2302.06675: one moment"};
    case Optimizer::sgd:
      return {0, 0, P, 0, 0, "torch/optim/sgd.py without momentum"};
    case Optimizer::adamw_8bit:  // one byte each and an fp32 maximum for each block of 256
      return {2 + 2 * 4.0 / 256, 0, P, 0, 0, "bitsandbytes/optim/optimizer.py: block-wise 8-bit moments, block 256"};
    case Optimizer::adafactor: {
      // An adapter of rank r has r * (inputs + outputs) elements: its rows and columns are a share 1 / r of them, and
      // r.
      const double r =
          4 * (c.adapted() ? c.rank.adapters / static_cast<double>(c.training().lora_rank) : rows_and_columns(c));
      return {0, 0, P, 0, r, "Shazeer and Stern 2018, arXiv:1804.04235: fp32 row and column statistics, no momentum"};
    }
    case Optimizer::muon: {  // momentum for hidden matrices, AdamW for embeddings, norms and head
      const double others = c.adapted() ? 0 : std::min(P, c.rank.outside_layers + c.rank.replicated_small);
      return {w, 2 * w, P - others, others, 0, "KellerJordan/Muon muon.py: momentum for matrices, AdamW for the rest"};
    }
  }
  return {};
}

}  // namespace meshgauge
