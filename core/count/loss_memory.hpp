// Logits and what the loss makes of them, on the rank that holds the head, for one micro-batch.
#pragma once

#include "core/count/memory_context.hpp"

namespace meshgauge {

/// Bytes per logit alive at the peak of the loss, forward and its own backward together.
struct LogitBytes {
  double logits = 0;    ///< the product itself, in the model's format
  double kept = 0;      ///< fp32 copies and softmax kept for the backward pass
  double gradient = 0;  ///< made while the first two are still alive
  const char* source = "";
};

/// Hugging Face models cast logits to fp32 themselves; from 4.46 on the 16-bit logits stay alive beside the copy.
[[nodiscard]] inline LogitBytes hf_logit_bytes(const MemoryContext& c) {
  const double held = c.training().engine_version >= EngineVersion{4, 46} || c.w == 4 ? c.w : 0;
  if (c.training().loss == Loss::fused) {  // Triton kernels write the gradient over the shifted copy
    return {held, 4, 4, "transformers loss/loss_utils.py: fp32 logits, contiguous shift; unsloth-style cross entropy"};
  }
  return {held, 8, 4, "transformers loss/loss_utils.py ForCausalLMLoss: log-softmax, the loss's gradient and its own"};
}

[[nodiscard]] inline LogitBytes logit_bytes(const MemoryContext& c) {
  if (c.training().engine == Engine::hf) return hf_logit_bytes(c);
  if (c.training().loss == Loss::native) {
    return {c.w, 4, 4, "Megatron-LM core/fusions/fused_cross_entropy.py under torch.compile: one more fp32 copy"};
  }
  if (c.training().loss == Loss::fused) {
    return {c.w, 0, 0, "TransformerEngine pytorch/triton/cross_entropy.py: in place in the logits' format"};
  }
  const bool titan = c.training().engine == Engine::torchtitan;
  if (titan && c.training().kernels == Kernels::eager && c.t > 1) {
    return {c.w, 8, 8,
            "torch/distributed/tensor/parallel/loss.py _nll_loss_and_log_softmax_backward: exp(x) and the sum"};
  }
  // "compiling loss function causes CUDA errors, turning off for now": torchtitan train.py until 2025.
  const bool whole_loss = !titan || c.training().engine_version >= EngineVersion{0, 1};
  const Kernels kernels =
      c.training().kernels == Kernels::compiled && !whole_loss ? Kernels::eager : c.training().kernels;
  switch (kernels) {
    case Kernels::fused:  // the softmax reuses the fp32 copy, the gradient reuses the softmax
      return {c.w, 4, 0, "Megatron-LM core/tensor_parallel/cross_entropy.py: fp32 copy, softmax in place"};
    case Kernels::compiled:
      return {c.w, 0, c.w, "torch.compile: the partitioner keeps logits and row sums, and computes the softmax again"};
    case Kernels::eager:  // the fp32 copy of logits.float() is gone when the gradients come
      return {c.w, 8, 4, "torch.nn.functional.cross_entropy: log-softmax, the loss's gradient and its own"};
  }
  return {};
}

/// Columns of the logits on this rank: its part of the vocabulary, or all of it where the head's output is gathered.
[[nodiscard]] inline double logit_columns(const MemoryContext& c) { return c.engine.gathers_logits ? c.V * c.t : c.V; }

/// Rows of logits that the chunked loss makes at a time: Liger-Kernel ops/fused_linear_cross_entropy.py.
[[nodiscard]] inline double chunk_rows(double tokens, double hidden, double vocab) {
  const double parts = std::max(1.0, std::ceil(vocab / hidden));
  const double wanted = std::ceil(tokens / parts);
  double rows = 1;
  while (rows < wanted) rows *= 2;
  return std::min(rows, tokens);
}

template <class Sink>
void count_loss(const MemoryContext& c, Sink& sink) {
  if (!c.stage.head || c.model().vocab == 0) return;
  const Phases alive = c.in(at(Phase::loss));
  // DataParallel gathers the outputs of every replica on device 0 and takes the loss there.
  const double r = c.training().engine == Engine::dp ? static_cast<double>(c.parallelism().data) : 1;
  const double T = c.T * r;
  if (c.training().objective == Objective::reward) return;  // a scalar for each answer
  if (c.training().loss == Loss::chunked) {
    constexpr const char* source = "Liger-Kernel ops/fused_linear_cross_entropy.py";
    const double rows = chunk_rows(T, c.h, c.V);
    sink.add({"logits_chunk", "Logits of one chunk, with fp32 copy", "r * V * (w + 4)", source}, Category::logits,
             alive, rows * c.V * (c.w + 4), {{"r", rows}, {"V", c.V}, {"w", c.w}});
    sink.add({"loss_input_gradient", "Gradient of the head's input", "T * w * h", source}, Category::logits, alive,
             T * c.w * c.h, {{"T", T}, {"w", c.w}, {"h", c.h}});
    sink.add({"loss_weight_gradient", "Gradient of the head, made in forward", "V * w * h", source}, Category::logits,
             alive, c.V * c.w * c.h, {{"V", c.V}, {"w", c.w}, {"h", c.h}});
    return;
  }
  const LogitBytes bytes = logit_bytes(c);
  const double V = logit_columns(c);
  // Logits in the pipeline's output buffers stay until the buffer's turn comes again.
  const double held = std::min(c.engine.output_buffers, c.m);
  if (c.engine.output_buffers > 1) {
    sink.add({"output_buffers", "Logits in the output buffers of the last stage", "n * T * V * w", c.engine.source},
             Category::logits, c.in(at(Phase::backward) | at(Phase::reduce)), held * T * V * bytes.logits,
             {{"n", held}, {"T", T}, {"V", V}, {"w", bytes.logits}});
  }
  sink.add({"logits", "Logits", "n * T * V * w", bytes.source}, Category::logits, alive, held * T * V * bytes.logits,
           {{"n", held}, {"T", T}, {"V", V}, {"w", bytes.logits}});
  sink.add({"loss_softmax", "fp32 logits and softmax", "T * V * w", bytes.source}, Category::logits, alive,
           T * V * bytes.kept, {{"T", T}, {"V", V}, {"w", bytes.kept}});
  sink.add({"logits_gradient", "Gradient of the logits", "T * V * w", bytes.source}, Category::logits, alive,
           T * V * bytes.gradient, {{"T", T}, {"V", V}, {"w", bytes.gradient}});
  if (c.stage.mtp_layers > 0) {  // each MTP head's logits are held while the main head runs
    const auto n = static_cast<double>(c.stage.mtp_layers);
    const double kept = c.training().loss == Loss::fused ? 2 : 4;
    sink.add({"mtp_logits", "Logits of multi-token prediction", "n * T * V * w",
              "Megatron-LM core/transformer/multi_token_prediction.py"},
             Category::logits, alive, n * T * c.V * kept, {{"n", n}, {"T", T}, {"V", c.V}, {"w", kept}});
  }
}

}  // namespace meshgauge
