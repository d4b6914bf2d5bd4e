// Default of every field, in the order in which they depend on each other.
#include "core/resolve/resolve.hpp"

#include <algorithm>
#include <cmath>

#include "core/engine/engine.hpp"
#include "core/resolve/findings.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/ranges.hpp"

namespace meshgauge {

namespace {

constexpr std::int64_t largest_default_sequence = 4096;
constexpr std::int64_t pipeline_fill = 4;  // micro-batches for each stage: a bubble below a fifth

/// a * b, stopping at a bound that every range lies below.
std::int64_t product(std::int64_t a, std::int64_t b) {
  constexpr auto bound = static_cast<std::int64_t>(1e15);
  return a > bound / std::max<std::int64_t>(b, 1) ? bound : a * b;
}

Engine default_engine(const ScenarioRequest& request, bool one_gpu) {
  const ParallelismRequest& p = request.parallelism;
  const auto above_one = [](const std::optional<std::int64_t>& degree) { return degree.value_or(1) > 1; };
  if (above_one(p.tensor) || above_one(p.pipeline) || above_one(p.context) || above_one(p.expert)) {
    return Engine::megatron;
  }
  if (p.zero_stage.value_or(0) > 0) return Engine::deepspeed;
  if (one_gpu) return Engine::single;
  return p.zero_stage ? Engine::deepspeed : Engine::ddp;  // stage 0 asked for by number is DeepSpeed's baseline
}

Precision default_precision(const Gpu& gpu) {
  if (gpu.bf16.value > 0) return Precision::bf16;
  return gpu.fp16.value > 0 ? Precision::fp16 : Precision::fp32;
}

DataType default_gradient_dtype(const EngineDescription& engine, Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return DataType::fp32;
    case Precision::pure_bf16:
      return DataType::bf16;
    case Precision::fp16:  // 16-bit weights have 16-bit gradients (Megatron turns fp32 accumulation on for bf16 alone)
      return engine.mixed_weights == MixedWeights::half_master ? DataType::fp16 : engine.mixed_gradients;
    case Precision::bf16:
    case Precision::fp8:
      return engine.mixed_gradients;
  }
  return DataType::fp32;
}

/// Megatron trains with --hidden-dropout 0.1 unless told otherwise (arguments.py); Hugging Face keeps the dropout of
/// GPT-2 and BERT configurations. Newer families train without.
bool default_dropout(const ModelShape& m, Engine engine) {
  const bool classic = m.norm == Norm::layernorm && m.position == Position::learned &&
                       (m.activation == Activation::gelu || m.activation == Activation::relu);
  return classic && (engine == Engine::megatron || (engine == Engine::hf && m.kind != ModelKind::vit));
}

std::int64_t default_sequence(const ModelShape& m) {
  const std::int64_t positions = m.max_sequence > 0 ? m.max_sequence : m.position_rows;
  if (m.kind == ModelKind::vit && positions > 0) return positions;
  return positions > 0 ? std::min(positions, largest_default_sequence) : largest_default_sequence;
}

Cluster resolve_cluster(const ScenarioRequest& request) {
  const ClusterRequest& asked = request.cluster;
  Cluster cluster = request.hardware.value_or(Cluster{});
  cluster.gpus_per_node = asked.gpus_per_node.value_or(cluster.gpus_per_node);
  cluster.gpu.memory = {std::floor(asked.memory_bytes.value_or(cluster.gpu.memory.value))};  // whole bytes
  if (asked.intra_node_bytes_per_second) cluster.intra.bandwidth = {*asked.intra_node_bytes_per_second};
  if (asked.inter_node_bytes_per_second) cluster.inter.bandwidth = {*asked.inter_node_bytes_per_second};
  if (asked.intra_node_latency_seconds) cluster.intra.latency = {*asked.intra_node_latency_seconds};
  if (asked.inter_node_latency_seconds) cluster.inter.latency = {*asked.inter_node_latency_seconds};
  if (asked.usd_per_gpu_hour) cluster.usd_per_gpu_hour = asked.usd_per_gpu_hour;
  return cluster;
}

/// GPUs when only degrees are given: their product; without a data-parallel size, as many replicas as fill a node.
std::int64_t default_gpus(const ScenarioRequest& request, std::int64_t gpus_per_node) {
  const ParallelismRequest& p = request.parallelism;
  if (request.training.engine == Engine::single) return 1;
  const std::int64_t replica = product(product(p.tensor.value_or(1), p.pipeline.value_or(1)), p.context.value_or(1));
  const std::int64_t replicas = p.data.value_or(std::max<std::int64_t>(1, gpus_per_node / replica));
  return product(replica, replicas);
}

Schedule default_schedule(const Parallelism& p) {
  return p.virtual_pipeline > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
}

Parallelism resolve_degrees(const ParallelismRequest& asked, std::int64_t gpus) {
  Parallelism p;
  p.tensor = asked.tensor.value_or(1);
  p.pipeline = asked.pipeline.value_or(1);
  p.virtual_pipeline = asked.virtual_pipeline.value_or(asked.schedule == Schedule::zb_v ? 2 : 1);
  p.schedule = asked.schedule.value_or(default_schedule(p));
  p.stage_layers = asked.stage_layers.value_or(std::vector<std::int64_t>{});
  p.context = asked.context.value_or(1);
  p.context_kind = asked.context_kind.value_or(ContextParallelKind::ring);
  p.expert = asked.expert.value_or(1);
  const std::int64_t replica = product(product(p.tensor, p.pipeline), p.context);
  p.data = asked.data.value_or(std::max<std::int64_t>(1, gpus / replica));
  p.reshard_after_forward = asked.reshard_after_forward.value_or(true);
  return p;
}

void resolve_recompute(const std::optional<RecomputeRequest>& asked, Training& t) {
  if (!asked) return;
  t.recompute = asked->kind;
  t.recompute_method = asked->method.value_or(RecomputeMethod::uniform);
  t.recompute_layers = asked->layers.value_or(1);
  if (t.recompute == Recompute::selective) {  // Megatron's default for --recompute-modules
    t.recompute_modules = asked->modules.value_or(RecomputeModules{.core_attention = true});
  }
}

Training resolve_training(const TrainingRequest& asked, const Scenario& s, Engine engine) {
  const EngineDescription& description = describe_engine(engine);
  Training t;
  t.engine = engine;
  t.precision = asked.precision.value_or(default_precision(s.cluster.gpu));
  t.optimizer = asked.optimizer.value_or(Optimizer::adamw);
  t.gradient_dtype = asked.gradient_dtype.value_or(default_gradient_dtype(description, t.precision));
  t.sequence_length = asked.sequence_length.value_or(default_sequence(s.model));
  t.micro_batch_size = asked.micro_batch_size.value_or(1);
  const std::int64_t accumulation = s.parallelism.pipeline > 1 ? pipeline_fill * s.parallelism.pipeline : 1;
  t.global_batch_size =
      asked.global_batch_size.value_or(product(product(t.micro_batch_size, s.parallelism.data), accumulation));
  resolve_recompute(asked.recompute, t);
  t.attention = asked.attention.value_or(s.cluster.gpu.before_ampere() ? Attention::unfused : Attention::flash);
  t.loss = asked.loss.value_or(Loss::unfused);
  t.kernels = asked.kernels.value_or(description.kernels);
  t.dropout = asked.dropout.value_or(default_dropout(s.model, engine));
  t.moe_load_factor = asked.moe_load_factor.value_or(1);
  t.tokens = asked.tokens.value_or(0);
  return t;
}

/// What the engine decides of the layout.
void resolve_engine_choices(const ParallelismRequest& asked, Scenario& s) {
  Parallelism& p = s.parallelism;
  const Engine engine = s.training.engine;
  p.zero_stage = asked.zero_stage.value_or(describe_engine(engine).default_zero);
  // Megatron-LM: --expert-tensor-parallel-size follows --tensor-model-parallel-size (arguments.py).
  p.expert_tensor = asked.expert_tensor.value_or(s.model.moe.used() && engine == Engine::megatron ? p.tensor : 1);
  const bool splits_evenly = s.training.sequence_length / p.context % p.tensor == 0;
  p.sequence_parallel = asked.sequence_parallel.value_or(engine == Engine::megatron && p.tensor > 1 && splits_evenly);
}

void check_all(const Scenario& s, Findings& findings) {
  for (const auto check : {check_model, check_engine, check_degrees, check_experts, check_pipeline, check_training}) {
    check(s, findings);
  }
}

}  // namespace

Issues broken_rules(const Scenario& s) {
  Findings findings;
  check_all(s, findings);
  return std::move(findings).take();
}

Result<Resolution> resolve(const ScenarioRequest& asked) {
  ScenarioRequest request = asked;
  Issues issues = drop_out_of_range(request);
  std::vector<std::string>& unread = request.unread;
  if (!request.model) unread.emplace_back(path::model);
  if (!request.hardware) {
    unread.emplace_back(path::hardware);
    if (!request.cluster.gpus_per_node) unread.emplace_back(path::gpus_per_node);
    if (!request.cluster.gpus) unread.emplace_back(path::gpus);
  }

  Scenario s;
  s.model = request.model.value_or(ModelShape{});
  s.cluster = resolve_cluster(request);
  s.cluster.gpus = request.cluster.gpus.value_or(default_gpus(request, s.cluster.gpus_per_node));
  s.parallelism = resolve_degrees(request.parallelism, s.cluster.gpus);
  const Engine engine = request.training.engine.value_or(default_engine(request, s.cluster.gpus == 1));
  s.training = resolve_training(request.training, s, engine);
  resolve_engine_choices(request.parallelism, s);

  Findings findings(unread);
  check_all(s, findings);
  for (Issue& issue : std::move(findings).take()) issues.push_back(std::move(issue));
  if (!issues.empty() || !unread.empty()) return issues;

  Issues warnings = request.notes;
  for (Issue& warning : warnings_of(s)) warnings.push_back(std::move(warning));
  return Resolution{std::move(s), std::move(warnings)};
}

}  // namespace meshgauge
