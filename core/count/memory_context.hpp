// What every memory line is computed from: the scenario's numbers as doubles, under the papers' letters.
#pragma once

#include <algorithm>

#include "core/count/in_flight.hpp"
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
  Phases existing;  ///< phases that this stage goes through: only the last has a loss

  // Sizes, in elements unless said otherwise.
  double T;   ///< tokens of one micro-batch on this rank: s b / c
  double s;   ///< keys that a query attends to at most: the whole sequence
  double h, f, a, k, q, V;  ///< hidden, FFN, heads, KV heads on a rank times t, head dim, vocabulary rows on this rank
  double t;   ///< tensor parallel
  double u;   ///< divisor of sequence-parallel tensors: t with sequence parallelism, else 1
  double g;   ///< matrices into the activation: 2 when gated, else 1
  double w;   ///< bytes of an activation element
  double m;   ///< micro-batches of a step
  double d;   ///< ranks that shard dense states
  double de;  ///< ranks that shard expert states
  bool multi; ///< more than one data-parallel rank

  [[nodiscard]] Phases in(Phases wanted) const { return {wanted.bits & existing.bits}; }
  [[nodiscard]] const Training& training() const { return scenario.training; }
  [[nodiscard]] const ModelShape& model() const { return scenario.model; }
  [[nodiscard]] const Parallelism& parallelism() const { return scenario.parallelism; }
  [[nodiscard]] bool mixed() const { return is_mixed(scenario.training.precision); }
};

[[nodiscard]] inline MemoryContext memory_context(const Scenario& scenario, std::int64_t stage) {
  const ModelShape& model = scenario.model;
  const Parallelism& par = scenario.parallelism;
  const Training& training = scenario.training;
  const StageShape shape = stage_shape(scenario, stage);
  const bool sharded_kv = par.tensor <= model.kv_heads;
  const bool context_shards = training.engine == Engine::megatron;  // Megatron shards over dp * cp
  return {
      .scenario = scenario,
      .engine = describe_engine(training.engine),
      .stage = shape,
      .rank = rank_parameters(scenario, shape),
      .flight = in_flight(par.schedule, stage, par.pipeline, par.virtual_pipeline, scenario.micro_batches()),
      .existing = shape.head ? always : Phases{always.bits & ~at(Phase::loss).bits},
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
      .m = static_cast<double>(scenario.micro_batches()),
      .d = static_cast<double>(context_shards ? par.shard_group() : par.data),
      .de = static_cast<double>(par.expert_data()),
      .multi = par.data > 1,
  };
}

}  // namespace meshgauge
