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
  const double element = c.mixed() && !keeps_master ? 4.0 : c.w;
  const bool gathers = c.engine.zero[static_cast<std::size_t>(zero)].gather == ParameterGather::each_use;
  const bool shards_weights = gathers && zero >= 2;  // FSDP stores shards also when it keeps units gathered
  return {
      .weight = {element, zero == 3 || shards_weights},
      .gradient = {bytes_of(training.gradient_dtype), zero >= 2},
      .master = {keeps_master ? 4.0 : 0.0, zero >= 1},
      .main_gradient = {keeps_master && c.engine.keeps_fp16_main_gradients && training.gradient_dtype == DataType::fp16
                            ? 4.0
                            : 0.0,
                        zero >= 1},
  };
}

template <class Sink>
void count_weights(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
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
  if (c.training().precision == Precision::fp8 && c.engine.mixed_weights == MixedWeights::half_master) {
    // Transformer Engine caches an fp8 copy of each weight, and on Hopper its transpose (TN GEMMs only).
    const double copies = c.scenario.cluster.gpu.architecture == "Hopper" ? 2 : 1;
    sink.add({"fp8_weight_cache", "fp8 weight copies", "n * P",
              "TransformerEngine docs/features/low_precision_training/performance_considerations"},
             Category::parameters, c.in(during(Phase::forward, Phase::optimizer)), copies * (P + E),
             {{"n", copies}, {"P", P + E}});
  }
}

template <class Sink>
void count_gradients(const MemoryContext& c, const StateWidths& widths, Sink& sink) {
  constexpr const char* source = "ZeRO, arXiv:1910.02054 section 3; Megatron-LM dist_optimizer.md; engine description";
  const double d = widths.gradient.sharded ? c.d : 1, de = widths.gradient.sharded ? c.de : 1;
  const double P = c.rank.dense, E = c.rank.experts;
  // Megatron and DeepSpeed allocate a gradient buffer once; autograd's own .grad exists from backward to
  // zero_grad(set_to_none=True), and across micro-batches when they accumulate.
  const bool buffered = c.engine.mixed_weights == MixedWeights::half_master;
  const Phases alive = buffered   ? during(Phase::init, Phase::optimizer)
                       : c.m > 1  ? during(Phase::forward, Phase::optimizer)
                                  : during(Phase::backward, Phase::optimizer);
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
  const double P = c.rank.dense, E = c.rank.experts;
  const Phases from_init = during(Phase::init, Phase::optimizer);
  const Phases steady = during(Phase::forward, Phase::optimizer);  // moments appear in the first step
  sink.add({"master_weights", "fp32 master weights", "w * (P / d + E / e)", source}, Category::optimizer,
           c.in(from_init), widths.master.bytes * (P / d + E / de),
           {{"w", widths.master.bytes}, {"P", P}, {"d", d}, {"E", E}, {"e", de}});
  sink.add({"main_gradients", "fp32 main gradients", "w * (P / d + E / e)",
            "Megatron-LM docs/user-guide/features/dist_optimizer.md, fp16 parameters and gradients"},
           Category::optimizer, c.in(from_init), widths.main_gradient.bytes * (P / d + E / de),
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

template <class Sink>
void count_states(const MemoryContext& c, Sink& sink) {
  const StateWidths widths = state_widths(c);
  count_weights(c, widths, sink);
  count_gradients(c, widths, sink);
  count_optimizer(c, widths, sink);
}

}  // namespace meshgauge
