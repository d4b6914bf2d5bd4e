// What the MLP or mixture of experts of one layer keeps for the backward pass.
#pragma once

#include "core/count/attention_activations.hpp"

namespace meshgauge {

inline constexpr const char* mlp_source =
    "Transformer Engine module/layernorm_mlp.py; Megatron-LM core/fusions/fused_bias_swiglu.py; arXiv:2205.05198";

/// Bytes of width `f` kept by a dense MLP, in multiples of f * w: pre-activations, product, and eager's extra copies.
[[nodiscard]] inline double mlp_widths(const MemoryContext& c) {
  const bool eager = c.training().kernels == Kernels::eager;
  const bool keeps_product = !eager || c.keeps_input(c.adapts_mlp());
  if (c.model().gated() && eager) {
    // Gate, act(gate), up and the product; unsloth's LoRA_MLP computes the middle two again.
    const bool fused = c.adapted() && c.adapts_mlp() && c.training().lora_kernels == LoraKernels::fused;
    return fused ? 2 : keeps_product ? 4 : 3;
  }
  if (c.model().gated()) return 3;
  if (c.gpt2_modules() && c.model().activation == Activation::gelu) {
    // activations.py NewGELUActivation keeps x for the cube, tanh, x / 2 and 1 + tanh; autocast makes the cube, and
    // with it all but x / 2, fp32.
    const double kept = c.fp32_stream() ? (3 * 4 + c.w) / c.w : 4;
    return kept + (keeps_product ? 1 : 0);
  }
  if (c.model().activation == Activation::relu && eager) return 1;  // ReLU needs only its own output
  return keeps_product ? 2 : 1;
}

/// The same, with the second matrix's input as it is kept under fp8.
[[nodiscard]] inline double kept_mlp_widths(const MemoryContext& c) { return mlp_widths(c) - 1 + c.input_bytes / c.w; }

template <class Sink>
void mlp_activations(const MemoryContext& c, const SavedSet& set, double width, bool keep, Sink& sink) {
  if (!keep || width == 0) return;
  const double x = kept_mlp_widths(c);
  sink.add({"mlp", "MLP: inputs of activation and second matrix", "n * T * w * x * f / t",
            c.training().kernels == Kernels::eager ? hf_source : mlp_source},
           set.category, set.phases, set.n * (c.T * c.w * x * width / c.t),
           {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"x", x}, {"f", width}, {"t", c.t}});
}

/// Routed experts, balanced or as uneven as `moe_load_factor` says: Megatron-LM core/transformer/moe, grouped GEMM,
/// router probabilities applied inside the activation.
template <class Sink>
void moe_activations(const MemoryContext& c, const SavedSet& set, bool keep, Sink& sink) {
  constexpr const char* source = "Megatron-LM core/transformer/moe/{router,token_dispatcher,experts}.py";
  const MixtureOfExperts& moe = c.model().moe;
  const auto K = static_cast<double>(moe.top_k), E = static_cast<double>(moe.experts);
  const auto fe = static_cast<double>(moe.expert_ffn), x = static_cast<double>(c.parallelism().expert_tensor);
  const double B = c.training().expert_load();
  const double R = c.T / c.u * K * x * B;  // routed token copies on the fullest rank
  // Until core 0.12 probabilities were applied when tokens were put back in order, which kept the experts' outputs.
  const bool unpermutes =
      c.training().engine == Engine::megatron && c.training().engine_version <= EngineVersion{0, 12};
  // Without a gate act(x) and act(x) * prob are both kept; eager experts are MLPs of their own.
  const bool eager = c.training().kernels == Kernels::eager;
  const double widths = (eager ? mlp_widths(c) : c.g + (c.model().gated() ? 1 : 2)) - 1 + c.input_bytes / c.w;
  const bool keeps_inputs = !eager || c.keeps_input(c.adapts_mlp());
  sink.add({"moe_router", "Router logits, probabilities, map", "n * T * 9 * E / u", source}, set.category, set.phases,
           set.n * (c.T * 9 * E / c.u), {{"n", set.n}, {"T", c.T}, {"E", E}, {"u", c.u}});
  if (keeps_inputs) {
    sink.add({"moe_expert_inputs", "Permuted expert inputs", "n * T / u * K * x * B * w * h", source}, set.category,
             set.phases, set.n * (R * c.input_bytes * c.h),
             {{"n", set.n}, {"T", c.T}, {"u", c.u}, {"K", K}, {"x", x}, {"B", B}, {"w", c.input_bytes}, {"h", c.h}});
  }
  if (unpermutes || eager) {
    sink.add({"moe_expert_outputs", "Expert outputs, weighted after", "n * T / u * K * w * h",
              eager ? "transformers modeling_mixtral.py: expert output times routing weight"
                    : "Megatron-LM core/transformer/moe/moe_utils.py unpermute, core 0.12 and older"},
             set.category, set.phases, set.n * (c.T / c.u * K * c.w * c.h),
             {{"n", set.n}, {"T", c.T}, {"u", c.u}, {"K", K}, {"w", c.w}, {"h", c.h}});
  }
  if (keep) {
    sink.add(
        {"moe_experts", "Experts: inputs of activation and second matrix", "n * T / u * K * x * B * w * y * f / x",
         source},
        set.category, set.phases, set.n * (R * c.w * widths * fe / x),
        {{"n", set.n}, {"T", c.T}, {"u", c.u}, {"K", K}, {"x", x}, {"B", B}, {"w", c.w}, {"y", widths}, {"f", fe}});
  }
  if (moe.shared_ffn > 0) {
    const auto fs = static_cast<double>(moe.shared_ffn);
    const double y = c.g + c.input_bytes / c.w;
    sink.add({"moe_shared_expert", "Shared expert", "n * T * w * y * f / t", source}, set.category, set.phases,
             set.n * (c.T * c.w * y * fs / c.t),
             {{"n", set.n}, {"T", c.T}, {"w", c.w}, {"y", y}, {"f", fs}, {"t", c.t}});
  }
}

}  // namespace meshgauge
