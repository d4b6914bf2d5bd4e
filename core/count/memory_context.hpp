// What every memory line is computed from: the scenario's numbers as doubles, under the papers' letters.
#pragma once

#include <algorithm>

#include "core/count/held_layers.hpp"
#include "core/count/ledger.hpp"
#include "core/count/parameters.hpp"
#include "core/count/stage.hpp"
#include "core/engine/engine.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

struct MemoryContext {
  const Scenario& scenario;
  const EngineDescription& engine;
  StageShape stage;
  RankParameters rank;
  InFlight flight;
  HeldLayers held;
  Phases existing;  ///< phases that this stage goes through: only the last has a loss

  // Sizes, in elements unless said otherwise.
  double T;                 ///< tokens of one micro-batch on this rank: s b / c
  double s;                 ///< keys that a query attends to at most: the whole sequence
  double h, f, a, k, q, V;  ///< hidden, FFN, heads, KV heads on a rank times t, head dim, vocabulary rows on this rank
  double t;                 ///< tensor parallel
  double u;                 ///< divisor of sequence-parallel tensors: t with sequence parallelism, else 1
  double g;                 ///< matrices into the activation: 2 when gated, else 1
  double w;                 ///< bytes of an activation element
  double input_bytes;       ///< of what a matrix product keeps as its input: below w under fp8, mxfp8, nvfp4
  double m;                 ///< micro-batches of a step
  double d;                 ///< ranks that shard dense states
  double de;                ///< ranks that shard expert states
  bool multi;               ///< more than one data-parallel rank

  /// Elements with gradients and optimizer states on this rank: all, or the adapters on a frozen base.
  [[nodiscard]] double trained_dense() const { return adapted() ? rank.adapters : rank.dense; }
  [[nodiscard]] double trained_experts() const { return adapted() ? 0 : rank.experts; }
  [[nodiscard]] double trained() const { return trained_dense() + trained_experts(); }
  [[nodiscard]] bool adapted() const { return scenario.training.peft != Peft::none; }
  /// torch.autocast over fp32 weights: embedding, norms and the sums between layers are fp32, products 16 bit, and
  /// each product casts its input anew.
  [[nodiscard]] bool fp32_stream() const {
    return mixed() && engine.mixed_weights == MixedWeights::autocast && !adapted() &&
           scenario.training.kernels == Kernels::eager;
  }
  /// Bytes of a hidden state between layers.
  [[nodiscard]] double stream_bytes() const { return fp32_stream() ? 4 : w; }
  /// transformers modeling_gpt2.py: softmax in the scores' own format, gelu_new written out in elementary operators.
  [[nodiscard]] bool gpt2_modules() const {
    return scenario.training.engine == Engine::hf && scenario.training.kernels == Kernels::eager &&
           scenario.model.kind == ModelKind::decoder && scenario.model.norm == Norm::layernorm &&
           scenario.model.position == Position::learned;
  }
  [[nodiscard]] bool adapts_mlp() const { return scenario.training.lora_targets == LoraTargets::all_linear; }
  [[nodiscard]] bool adapts_attention_output() const {
    return scenario.training.lora_targets != LoraTargets::query_value;
  }
  /// bitsandbytes until 0.42 (of the time of torch 2.2) kept the input of its 4-bit product as well:
  /// autograd/_functions.py MatMul4Bit, ctx.tensors = (A, B); from 0.43 on (None, B).
  [[nodiscard]] bool old_bitsandbytes() const {
    return scenario.training.engine == Engine::single && scenario.training.engine_version <= EngineVersion{2, 2};
  }
  /// Whether eager autograd keeps the input of a matrix: it is needed for the weight's gradient. A frozen matrix keeps
  /// none (torch's linear, bitsandbytes MatMul4Bit, GPTQ QuantLinearFunction); an adapter reads the same tensor unless
  /// dropout made it a copy of its own, and fused kernels keep both.
  [[nodiscard]] bool keeps_input(bool has_adapter) const {
    if (!adapted()) return true;
    const Training& training = scenario.training;
    if (training.peft == Peft::qlora && old_bitsandbytes()) return true;
    return has_adapter && (training.lora_kernels == LoraKernels::fused || training.lora_dropout == 0);
  }
  [[nodiscard]] bool quantised() const {
    return scenario.training.peft == Peft::qlora || scenario.training.peft == Peft::gptq_lora;
  }

  /// Shares of the states that stay on the GPU: FSDP's CPUOffload takes gradients and optimizer along with parameters,
  /// DeepSpeed moves each on its own, and its fp32 gradients go with the optimizer.
  [[nodiscard]] bool parameters_offloaded() const { return scenario.training.parameter_offload != Offload::none; }
  [[nodiscard]] bool optimizer_offloaded() const {
    return scenario.training.optimizer_offload != Offload::none ||
           (parameters_offloaded() && engine.mixed_weights != MixedWeights::half_master);
  }
  [[nodiscard]] Phases in(Phases wanted) const { return {wanted.bits & existing.bits}; }
  [[nodiscard]] const Training& training() const { return scenario.training; }
  [[nodiscard]] const ModelShape& model() const { return scenario.model; }
  [[nodiscard]] const Parallelism& parallelism() const { return scenario.parallelism; }
  [[nodiscard]] bool mixed() const { return is_mixed(scenario.training.precision); }
};

/// What a rank holds of the model, whatever its states are sharded over.
struct RankContents {
  StageShape shape;
  RankParameters parameters;
  InFlight flight;
  HeldLayers held;
};
/// `shape`: all of the rank; `chunk(i)`: the i-th of its chunks.
template <class Chunk>
[[nodiscard]] RankContents rank_contents(const Scenario& scenario, std::int64_t stage, const StageShape& shape,
                                         Chunk&& chunk) {
  const Parallelism& par = scenario.parallelism;
  const InFlight flight = in_flight(par.schedule, stage, par.pipeline, par.virtual_pipeline, scenario.micro_batches(),
                                    par.group_in_a_row());
  return {shape, rank_parameters(scenario, shape), flight, held_layers(scenario, stage, shape, flight, chunk)};
}

[[nodiscard]] inline MemoryContext memory_context(const Scenario& scenario, const RankContents& contents) {
  const ModelShape& model = scenario.model;
  const Parallelism& par = scenario.parallelism;
  const Training& training = scenario.training;
  const bool sharded_kv = par.tensor <= model.kv_heads;
  // Megatron's optimizer and torchtitan's FSDP (parallel_dims.py, mesh dp_shard_cp) shard over dp * cp.
  const bool titan = training.engine == Engine::torchtitan;
  const bool context_shards = training.engine == Engine::megatron || titan;
  return {
      .scenario = scenario,
      .engine = describe_engine(training.engine, par.zero_stage),
      .stage = contents.shape,
      .rank = contents.parameters,
      .flight = contents.flight,
      .held = contents.held,
      .existing = contents.shape.head ? always : Phases{always.bits & ~at(Phase::loss).bits},
      .T = scenario.tokens_per_micro_batch(),
      .s = static_cast<double>(training.sequence_length),
      .h = static_cast<double>(model.hidden),
      .f = static_cast<double>(model.ffn),
      .a = static_cast<double>(model.heads),
      // A rank holds at least one KV head: with fewer KV heads than ranks they are replicated.
      .k = static_cast<double>(sharded_kv ? model.kv_heads : par.tensor),
      .q = static_cast<double>(model.head_dim),
      .V = static_cast<double>(scenario.padded_vocab()) / static_cast<double>(par.tensor),
      .t = static_cast<double>(par.tensor),
      .u = par.sequence_parallel ? static_cast<double>(par.tensor) : 1.0,
      .g = model.gated() ? 2.0 : 1.0,
      .w = activation_bytes(training.precision),
      .input_bytes = training.kernels == Kernels::fused ? product_input_bytes(training.precision)
                                                        : activation_bytes(training.precision),
      .m = static_cast<double>(scenario.micro_batches()),
      .d = static_cast<double>(context_shards ? par.shard_group() : par.data / par.replicas),
      .de = static_cast<double>(par.expert_shard_group()),
      .multi = par.data * (titan ? par.context : 1) > 1,
  };
}

/// `shape` is what the rank at `stage` holds.
[[nodiscard]] inline MemoryContext memory_context(const Scenario& scenario, std::int64_t stage,
                                                  const StageShape& shape) {
  ModelChunks chunks(scenario);
  const auto chunk = [&](std::int64_t i) { return chunks[stage + i * scenario.parallelism.pipeline]; };
  return memory_context(scenario, rank_contents(scenario, stage, shape, chunk));
}

[[nodiscard]] inline MemoryContext memory_context(const Scenario& scenario, std::int64_t stage) {
  return memory_context(scenario, stage, stage_shape(scenario, stage));
}

}  // namespace meshgauge
