// A stage is a number of layers of each kind and one or both ends of the model.
#include "core/compose/stage_cost.hpp"

#include <algorithm>

#include "core/count/parameters.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge {
namespace {

LayerKind mtp_kind(const ModelShape& m) { return m.is_moe_layer(m.layers - 1) ? LayerKind::moe : LayerKind::dense; }

const LayerCost& entry(const CostTable& table, LayerKind kind, AttentionKind attention) {
  return table.layers[static_cast<std::size_t>(kind)][static_cast<std::size_t>(attention)];
}

/// Bytes that the update of one parameter reads and writes: gradient, weights, states.
double update_bytes(const Training& training, const EngineDescription& engine) {
  const bool mixed = is_mixed(training.precision);
  const bool master = mixed && engine.mixed_weights == MixedWeights::half_master;
  const double weight = mixed ? 4 : activation_bytes(training.precision);
  const double gradient = bytes_of(training.gradient_dtype);
  double state = 0;  // bytes kept for each parameter
  switch (training.optimizer) {
    case Optimizer::adamw:
      state = 2 * weight;
      break;
    case Optimizer::adamw_8bit:
      state = 2;
      break;
    case Optimizer::momentum:
    case Optimizer::lion:
    case Optimizer::muon:
      state = weight;
      break;
    case Optimizer::adafactor:  // no state of that size, but three more passes for its factors and clipping
      return gradient + 2 * weight + (master ? 2 : 0) + 3 * weight;
    case Optimizer::sgd:
      break;
  }
  const double fused = gradient + 2 * (weight + state) + (master ? 2 : 0);
  // torch/optim/adamw.py _multi_tensor_adamw: eight kernels move 80 bytes where a fused one moves 28.
  constexpr double separate_kernels = 80.0 / 28.0;
  const bool separate = engine.buffers.foreach_optimizer && training.optimizer == Optimizer::adamw;
  return separate ? separate_kernels * fused : fused;
}

/// Bytes over a rank's unsharded gradients: cleared, scaled by 1 / d or copied into buckets and back.
double gradient_pass_bytes(const Scenario& scenario, const EngineDescription& engine) {
  const double gradient = bytes_of(scenario.training.gradient_dtype);
  const bool buffered = engine.mixed_weights == MixedWeights::half_master;
  const bool several = scenario.parallelism.data * scenario.parallelism.context > 1;
  double passes = buffered ? 1 : 0;
  if (several && buffered) passes += 2;                                // param_and_grad_buffer.py: gradient *= 1 / d
  if (several && engine.buffers.bucket_copies_gradients) passes += 4;  // reducer.cpp: into the bucket, and back
  double bytes = passes * gradient;
  // Buckets in another format than the gradients' are cast, and cast back (torch ddp_comm_hooks/default_hooks.py).
  const double reduced = bytes_of(scenario.training.reduce_dtype);
  const bool buckets = data_parallel_rules(scenario.training.engine, scenario.parallelism.zero_stage).gather !=
                       ParameterGather::each_use;
  if (several && buckets && reduced != gradient) bytes += 2 * (gradient + reduced);
  return bytes;
}

}  // namespace

void price_model(const Scenario& scenario, const Profile& profile, PricedModel& prices, CostTable& table) {
  const ModelShape& m = scenario.model;
  for_each_layer_kind(m, whole_model(m), [&](LayerKind kind, AttentionKind attention, std::int64_t) {
    LayerPrice& price = prices.layers[static_cast<std::size_t>(kind)][static_cast<std::size_t>(attention)];
    price_layer(scenario, profile, kind, attention, price);
    table.layers[static_cast<std::size_t>(kind)][static_cast<std::size_t>(attention)] = price.once;
  });
  table.head = head_cost(scenario, profile);
  table.embedding = embedding_cost(scenario, profile);
  if (m.mtp_depth > 0) {
    price_mtp(scenario, profile, prices.mtp);
    price_layer(scenario, profile, mtp_kind(m), AttentionKind::softmax, prices.mtp_layer);
    table.mtp = prices.mtp.once;
    table.mtp += prices.mtp_layer.once;
    table.mtp += table.head;
  }
}

void set_recompute(const Scenario& scenario, const Profile& profile, const PricedModel& prices, CostTable& table) {
  const ModelShape& m = scenario.model;
  for_each_layer_kind(m, whole_model(m), [&](LayerKind kind, AttentionKind attention, std::int64_t) {
    const auto i = static_cast<std::size_t>(kind), j = static_cast<std::size_t>(attention);
    run_again(scenario.training, profile, prices.layers[i][j].kernels, table.layers[i][j]);
  });
  if (m.mtp_depth > 0) {
    LayerCost layer;
    run_again(scenario.training, profile, prices.mtp_layer.kernels, layer);
    run_again(scenario.training, profile, prices.mtp.kernels, table.mtp);
    table.mtp.recompute += layer.recompute;
    table.mtp.recompute_gaps += layer.recompute_gaps;
  }
}

CostTable cost_table(const Scenario& scenario, const Profile& profile) {
  PricedModel prices;
  CostTable table;
  price_model(scenario, profile, prices, table);
  set_recompute(scenario, profile, prices, table);
  return table;
}

LayerCost kernels_once(const Scenario& scenario, const CostTable& table, const StageShape& shape) {
  LayerCost sum;
  for_each_layer_kind(scenario.model, shape, [&](LayerKind kind, AttentionKind attention, std::int64_t count) {
    sum += static_cast<double>(count) * entry(table, kind, attention);
  });
  if (shape.mtp_layers > 0) sum += static_cast<double>(shape.mtp_layers) * table.mtp;
  if (shape.embedding) sum += table.embedding;
  if (shape.head) sum += table.head;
  sum.recompute = sum.recompute_gaps = {};
  return sum;
}

RepeatedKernels repeated_kernels(const Scenario& scenario, const CostTable& table, const StageShape& shape) {
  RepeatedKernels sum;
  if (scenario.training.recompute == Recompute::none) return sum;
  const auto add = [&](double count, const LayerCost& cost) {
    sum.kernels += count * cost.recompute;
    sum.gaps += count * cost.recompute_gaps;
    sum.host += count * cost.host_forward;
  };
  for_each_layer_kind(scenario.model, shape, [&](LayerKind kind, AttentionKind attention, std::int64_t count) {
    add(static_cast<double>(count), entry(table, kind, attention));
  });
  if (shape.mtp_layers > 0) add(static_cast<double>(shape.mtp_layers), table.mtp);
  const bool full = scenario.training.recompute == Recompute::full;
  if (full) {
    const double share = recomputed_share(scenario, shape);
    sum.kernels = share * sum.kernels;
    sum.gaps = share * sum.gaps;
    sum.host = share * sum.host;
  } else {
    sum.host = {};
  }
  return sum;
}

LayerCost stage_kernels(const Scenario& scenario, const CostTable& table, const StageShape& shape) {
  LayerCost sum = kernels_once(scenario, table, shape);
  const RepeatedKernels again = repeated_kernels(scenario, table, shape);
  sum.recompute = again.kernels;
  sum.recompute_gaps = again.gaps;
  sum.host_backward += again.host;
  return sum;
}

Seconds optimizer_time(const Scenario& scenario, const Profile& profile, const StageShape& shape) {
  const EngineDescription& engine = describe_engine(scenario.training.engine, scenario.parallelism.zero_stage);
  const Parallelism& p = scenario.parallelism;
  const RankParameters rank = rank_parameters(scenario, shape);
  const auto dense_ranks = static_cast<double>(p.zero_stage > 0 ? p.shard_group() : 1);
  const auto expert_ranks = static_cast<double>(p.zero_stage > 0 ? p.expert_shard_group() : 1);
  const double own = rank.dense / dense_ranks + rank.experts / expert_ranks;
  const double norm = bytes_of(scenario.training.gradient_dtype);  // the gradient norm reads each gradient once
  const BytesPerSecond rate = profile.update_speed * profile.hbm;
  Seconds time = Bytes{own * (update_bytes(scenario.training, engine) + norm)} / rate;
  time += Bytes{rank.total() * gradient_pass_bytes(scenario, engine)} / rate;
  if (scenario.training.optimizer == Optimizer::muon) {
    // Five Newton-Schulz steps of 4 r^2 n + 2 r^3 on an r x n matrix: 20 to 30 r for each weight (KellerJordan/Muon).
    const double work = 25 * static_cast<double>(scenario.model.hidden) * own;
    time += Flops{work} / profile.matmul_16bit;
  }
  return time;
}

}  // namespace meshgauge
