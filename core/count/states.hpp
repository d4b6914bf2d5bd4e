// Training states: parameters, gradients, optimizer states of one rank, and what data parallelism shards of them.
#pragma once

#include "core/count/memory_context.hpp"
#include "core/count/optimizer_state.hpp"

namespace meshgauge {

/// Bytes per parameter of one kind of state, and over how many ranks it is cut.
struct StateWidth {
  double bytes = 0;
  bool sharded = false;
};

struct StateWidths {
  StateWidth weight, gradient, master, main_gradient;
};

/// engine-facts: Megatron docs/user-guide/features/dist_optimizer.md, DeepSpeed runtime/zero, torch autocast and FSDP.
[[nodiscard]] inline StateWidths state_widths(const MemoryContext& c) {
  const Training& training = c.training();
  const std::int64_t zero = c.parallelism().zero_stage;
  const bool keeps_master = c.mixed() && c.engine.mixed_weights == MixedWeights::half_master;
  // Weights kept in 8 bits have their scales beside them, one for a tensor or a block: too few to count.
  const bool eight = keeps_master && training.fp8_parameters && is_low(training.precision);
  const double element = c.mixed() && !keeps_master ? 4.0 : eight ? 1.0 : c.w;
  const bool gathers = c.engine.zero[static_cast<std::size_t>(zero)].gather == ParameterGather::each_use;
  const bool shards_weights = gathers && zero >= 2;  // FSDP stores shards also when it keeps units gathered
  return {
      .weight = {element, zero == 3 || shards_weights},
      .gradient = {bytes_of(training.gradient_dtype), zero >= 2},
      .master = {keeps_master ? bytes_of(training.master_dtype) : 0.0, zero >= 1},
      .main_gradient = {keeps_master && c.engine.keeps_fp16_main_gradients && training.gradient_dtype == DataType::fp16
                            ? 4.0
                            : 0.0,
                        zero >= 1},
  };
}

/// A frozen base: 16 bit, or its linear layers packed to 4 bit with scales that no engine shards. Adapters apart.
template <class Sink>
void count_frozen_base(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  const bool gptq = c.training().peft == Peft::gptq_lora;
  const char* source = gptq ? "AutoGPTQ qlinear: 4-bit codes, fp16 scale and 4-bit zero point for each group of 128"
                       : c.quantised()
                           ? "bitsandbytes functional.py quantize_4bit: NF4 codes, one scale for each block of 64"
                           : "peft tuners/lora: the base stays in its 16-bit format, without gradients";
  const double d = widths.weight.sharded ? c.d : 1;
  const double Q = c.quantised() ? c.rank.matrices + c.rank.experts : 0;
  const double R = c.rank.total() - Q;
  sink.add({"frozen_parameters", "Frozen parameters", "(w * R + Q / 2) / d", source}, Category::parameters,
           c.in(always), (c.w * R + Q / 2) / d, {{"w", c.w}, {"R", R}, {"Q", Q}, {"d", d}});
  // Double quantisation keeps one byte for each scale and an fp32 scale of scales for each 256 of them.
  const double per = gptq ? 2.5 / 128 : c.training().double_quantisation ? (1 + 4.0 / 256) / 64 : 4.0 / 64;
  sink.add({"quantisation_scales", "Scales of the quantised base", "z * Q",
            gptq ? source : "bitsandbytes functional.py; Dettmers et al. 2023, arXiv:2305.14314 section 3"},
           Category::parameters, c.in(always), per * Q, {{"z", per}, {"Q", Q}});
  const double A = c.rank.adapters;
  sink.add({"adapter_parameters", "Adapters", "w * A / d", "Hu et al. 2021, arXiv:2106.09685 section 4.1"},
           Category::parameters, c.in(always), widths.weight.bytes * A / d,
           {{"w", widths.weight.bytes}, {"A", A}, {"d", d}});
}

template <class Sink>
void count_weights(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  if (c.adapted()) return count_frozen_base(c, widths, sink);
  constexpr const char* source = "ZeRO, arXiv:1910.02054 section 3; Megatron-LM dist_optimizer.md; engine description";
  const double d = widths.weight.sharded ? c.d : 1, de = widths.weight.sharded ? c.de : 1;
  const double P = c.rank.dense, E = c.rank.experts, v = c.flight.weight_versions;
  sink.add({"parameters", "Parameters", "w * P / d", source}, Category::parameters, c.in(always),
           widths.weight.bytes * P / d, {{"w", widths.weight.bytes}, {"P", P}, {"d", d}});
  sink.add({"expert_parameters", "Expert parameters", "w * E / d", source}, Category::parameters, c.in(always),
           widths.weight.bytes * E / de, {{"w", widths.weight.bytes}, {"E", E}, {"d", de}});
  if (v > 1) {
    sink.add({"weight_versions", "Older weight versions", "w * (v - 1) * P",
              "PipeDream, arXiv:1806.03377 section 3.3; PipeDream-2BW, arXiv:2006.09503 section 3.1"},
             Category::parameters, c.in(during(Phase::forward, Phase::optimizer)),
             widths.weight.bytes * (v - 1) * (P + E), {{"w", widths.weight.bytes}, {"v", v}, {"P", P + E}});
  }
  if (is_low(c.training().precision) && c.engine.mixed_weights == MixedWeights::half_master) {
    // Transformer Engine caches a quantised copy of each weight unless it is kept so, and its transpose where products
    // need one: on Hopper, whose fp8 products are TN only, and under mxfp8 and nvfp4, whose scales run along one side.
    const bool transpose = c.scenario.cluster.gpu.architecture == "Hopper" || c.training().precision != Precision::fp8;
    const double copies =
        ((c.training().fp8_parameters ? 0 : 1) + (transpose ? 1 : 0)) * product_input_bytes(c.training().precision);
    sink.add({"fp8_weight_cache", "fp8 weight copies", "n * P",
              "TransformerEngine docs/features/low_precision_training/performance_considerations"},
             Category::parameters, c.in(during(Phase::forward, Phase::optimizer)), copies * (P + E),
             {{"n", copies}, {"P", P + E}});
  }
}

/// The frozen copy that preferences are measured against, held like the policy's weights. A policy of adapters is its
/// own reference once they are switched off.
template <class Sink>
void count_reference(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  if (c.training().objective != Objective::dpo || c.adapted()) return;
  const double d = widths.weight.sharded ? c.d : 1, P = c.rank.total();
  sink.add({"reference_parameters", "Frozen reference model", "w * P / d",
            "Rafailov et al. 2023, arXiv:2305.18290 section 4: log-probabilities under the reference policy"},
           Category::parameters, c.in(always), c.w * P / d, {{"w", c.w}, {"P", P}, {"d", d}});
}

template <class Sink>
void count_gradients(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  constexpr const char* source = "ZeRO, arXiv:1910.02054 section 3; Megatron-LM dist_optimizer.md; engine description";
  const double d = widths.gradient.sharded ? c.d : 1, de = widths.gradient.sharded ? c.de : 1;
  const double P = c.trained_dense(), E = c.trained_experts();
  // Megatron allocates a gradient buffer once; autograd's own .grad grow layer by layer through the backward, are gone
  // with zero_grad(set_to_none=True), and stay across micro-batches when they accumulate.
  const Phases alive = c.engine.gradient_buffer ? during(Phase::init, Phase::optimizer)
                       : c.m > 1                ? during(Phase::forward, Phase::optimizer)
                                                : during(Phase::reduce, Phase::optimizer);
  const bool kept_half = c.engine.keeps_half_gradients && c.training().precision == Precision::bf16;
  if (kept_half && widths.gradient.bytes == 4) {
    sink.add({"half_gradients", "bf16 gradients beside the fp32 ones", "2 * P",
              "deepspeed/runtime/bf16_optimizer.py update_hp_grads"},
             Category::gradients, c.in(alive), 2 * (P + E), {{"P", P + E}});
  }
  if (c.engine.accumulates_whole && c.multi && c.m > 1 && widths.gradient.sharded && !c.adapted()) {
    // FSDP1's no_sync leaves the gradients of all but the last micro-batch as autograd made them.
    const double w = c.w;
    sink.add({"unsharded_accumulation", "Gradients that wait for the last micro-batch, whole", "w * P",
              "torch/distributed/fsdp/_runtime_utils.py _post_backward_hook under no_sync; transformers trainer.py"},
             Category::gradients, c.in(during(Phase::forward, Phase::reduce)), w * (P + E), {{"w", w}, {"P", P + E}});
  }
  sink.add({"gradients", "Gradients", "w * P / d", source}, Category::gradients, c.in(alive),
           widths.gradient.bytes * P / d, {{"w", widths.gradient.bytes}, {"P", P}, {"d", d}});
  sink.add({"expert_gradients", "Expert gradients", "w * E / d", source}, Category::gradients, c.in(alive),
           widths.gradient.bytes * E / de, {{"w", widths.gradient.bytes}, {"E", E}, {"d", de}});
}

template <class Sink>
void count_optimizer(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  constexpr const char* source = "ZeRO, arXiv:1910.02054 section 3.1; Megatron-LM dist_optimizer.md";
  const bool shards = c.parallelism().zero_stage >= 1;
  const double d = shards ? c.d : 1, de = shards ? c.de : 1;
  const double P = c.trained_dense(), E = c.trained_experts();
  const Phases from_init = during(Phase::init, Phase::optimizer);
  const Phases steady = during(Phase::forward, Phase::optimizer);  // moments appear in the first step
  sink.add({"master_weights", "fp32 master weights", "w * (P / d + E / e)", source}, Category::optimizer,
           c.in(from_init), widths.master.bytes * (P / d + E / de),
           {{"w", widths.master.bytes}, {"P", P}, {"d", d}, {"E", E}, {"e", de}});
  sink.add({"main_gradients", "fp32 main gradients", "w * (P / d + E / e)",
            "Megatron-LM docs/user-guide/features/dist_optimizer.md, fp16 parameters and gradients; made for the step "
            "by core/optimizer/optimizer.py _copy_model_grads_to_main_grads, gone with zero_grad"},
           Category::optimizer, c.in(at(Phase::optimizer)), widths.main_gradient.bytes * (P / d + E / de),
           {{"w", widths.main_gradient.bytes}, {"P", P}, {"d", d}, {"E", E}, {"e", de}});
  const OptimizerState state = optimizer_state(c);
  sink.add({"optimizer_moments", "Optimizer states", "w * (H / d + E / e) + v * O / d + r / d", state.source},
           Category::optimizer, c.in(steady),
           state.matrix_bytes * (state.matrices / d + E / de) + state.other_bytes * state.others / d +
               state.factored_bytes / d,
           {{"w", state.matrix_bytes},
            {"H", state.matrices},
            {"E", E},
            {"v", state.other_bytes},
            {"O", state.others},
            {"r", state.factored_bytes},
            {"d", d},
            {"e", de}});
}

/// DeepSpeed's stages 1 and 2 flatten the module's weights into one buffer before the module points into it.
template <class Sink>
void count_flattening(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  const std::int64_t zero = c.parallelism().zero_stage;
  if (!c.engine.buffers.reuses_gathered || zero < 1 || zero > 2 || c.adapted()) return;
  const double P = c.rank.total();
  sink.add({"flattened_weights", "Flat copy of the weights", "w * P",
            "deepspeed/runtime/zero/stage_1_and_2.py __init__: flatten_dense_tensors_aligned"},
           Category::transient, c.in(at(Phase::init)), widths.weight.bytes * P, {{"w", widths.weight.bytes}, {"P", P}});
}

template <class Sink>
void count_states(const MemoryContext& c, Sink& sink) {
  const StateWidths widths = state_widths(c);
  if (!c.parameters_offloaded()) {
    count_weights(c, widths, sink);
    count_flattening(c, widths, sink);
    count_reference(c, widths, sink);
  }
  if (!c.optimizer_offloaded()) {
    count_gradients(c, widths, sink);
    count_optimizer(c, widths, sink);
  }
}

}  // namespace meshgauge
