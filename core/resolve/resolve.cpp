// Default of every field, in the order in which they depend on each other.
#include "core/resolve/resolve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/engine/engine.hpp"
#include "core/resolve/findings.hpp"
#include "core/resolve/pipeline_layout.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {

namespace {

constexpr std::int64_t largest_default_sequence = 4096;
constexpr std::int64_t pipeline_fill = 4;  // micro-batches for each stage: a bubble below a fifth

/// a * b, stopping at a bound that every range lies below.
std::int64_t product(std::int64_t a, std::int64_t b) {
  constexpr auto bound = static_cast<std::int64_t>(1e15);
  return a > bound / std::max<std::int64_t>(b, 1) ? bound : a * b;
}

/// "0.14", "4.45.2", "v0.12.1"
std::optional<EngineVersion> parse_version(std::string_view text) {
  std::array<std::int64_t, 2> numbers{};
  std::size_t part = 0, digits = 0;
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  for (const char c : text) {
    if (c >= '0' && c <= '9' && digits < 6) {
      if (part < 2) numbers[part] = numbers[part] * 10 + (c - '0');
      ++digits;
    } else if (c == '.' && digits > 0) {
      ++part;
      digits = 0;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0) return std::nullopt;
  return EngineVersion{numbers[0], numbers[1]};
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
    case Precision::mxfp8:
    case Precision::nvfp4:
      return engine.mixed_gradients;
  }
  return DataType::fp32;
}

/// Engines that reduce in another format than they add up in do so where the latter is left to them.
DataType default_reduce_dtype(const EngineDescription& engine, const Training& t) {
  const bool default_dtype = t.gradient_dtype == engine.mixed_gradients;
  return is_mixed(t.precision) && default_dtype ? engine.mixed_reduction : t.gradient_dtype;
}

/// Megatron trains with --hidden-dropout 0.1 unless told otherwise (arguments.py); Hugging Face keeps the dropout of
/// GPT-2 and BERT configurations. Newer families train without.
bool default_dropout(const ModelShape& m, Engine engine) {
  const bool classic = m.norm == Norm::layernorm && m.position == Position::learned &&
                       (m.activation == Activation::gelu || m.activation == Activation::relu);
  return classic && (has_megatron_layers(engine) || (engine == Engine::hf && m.kind != ModelKind::vit));
}

std::int64_t default_sequence(const ModelShape& m) {
  const std::int64_t positions = m.max_sequence > 0 ? m.max_sequence : m.position_rows;
  if (m.kind == ModelKind::vit && positions > 0) return positions;
  return positions > 0 ? std::min(positions, largest_default_sequence) : largest_default_sequence;
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
  p.replicas = asked.replicas.value_or(1);
  return p;
}

/// Megatron's default for --recompute-modules; elsewhere what torchtitan's "selective" does.
RecomputeModules default_modules(Engine engine) {
  if (has_megatron_layers(engine)) return {.core_attention = true};
  return {.operators = true};
}

void resolve_recompute(const std::optional<RecomputeRequest>& asked, Training& t) {
  if (!asked) return;
  t.recompute = asked->kind;
  t.recompute_method = asked->method.value_or(RecomputeMethod::uniform);
  t.recompute_layers = asked->layers.value_or(1);
  if (t.recompute == Recompute::selective) t.recompute_modules = asked->modules.value_or(default_modules(t.engine));
}

/// Transformer Engine resolves "auto" to cuDNN from Hopper on and to FlashAttention before (attention/utils.py).
Attention default_attention(const Gpu& gpu, Engine engine, Kernels kernels) {
  if (gpu.before_ampere()) return Attention::unfused;
  if (kernels == Kernels::eager && !has_megatron_layers(engine)) return Attention::sdpa;
  return engine == Engine::megatron && gpu.hopper_or_later() ? Attention::cudnn : Attention::flash;
}

void resolve_fine_tuning(const TrainingRequest& asked, Training& t) {
  t.peft = asked.peft.value_or(Peft::none);
  t.lora_rank = asked.lora_rank.value_or(16);
  t.lora_targets = asked.lora_targets.value_or(LoraTargets::attention);
  t.lora_kernels = asked.lora_kernels.value_or(LoraKernels::plain);
  t.lora_dropout = asked.lora_dropout.value_or(0);
  t.double_quantisation = asked.double_quantisation.value_or(true);
  t.upcast_residual = t.peft != Peft::none && asked.upcast_residual.value_or(false);
  t.objective = asked.objective.value_or(Objective::next_token);
}

void resolve_zero(const TrainingRequest& request, const EngineDescription& engine, std::int64_t stage, Training& t) {
  const ZeroBuffers defaults;
  const bool used = t.engine == Engine::deepspeed && stage > 0;  // its stage 0 reduces buckets of a fixed size
  static const TrainingRequest nothing;
  const TrainingRequest& asked = used ? request : nothing;
  t.zero_buffers = {.reduce_bucket = asked.reduce_bucket_size.value_or(engine.buffers.bucket_elements),
                    .prefetch_bucket = asked.stage3_prefetch_bucket_size.value_or(engine.buffers.prefetch_elements),
                    .reuse_distance = asked.stage3_max_reuse_distance.value_or(defaults.reuse_distance),
                    .sub_group = asked.sub_group_size.value_or(defaults.sub_group)};
  t.zero_plus_plus = {.partition = asked.zero_hpz_partition_size.value_or(1),
                      .quantised_weights = asked.zero_quantized_weights.value_or(false),
                      .quantised_gradients = asked.zero_quantized_gradients.value_or(false)};
}

Training resolve_training(const TrainingRequest& asked, const Scenario& s, Engine engine) {
  const std::int64_t zero_stage = s.parallelism.zero_stage;
  const EngineDescription& description = describe_engine(engine, zero_stage);
  const DataParallelRules& rules = description.zero[static_cast<std::size_t>(zero_stage)];
  Training t;
  t.engine = engine;
  t.precision = asked.precision.value_or(default_precision(s.cluster.gpu));
  t.optimizer = asked.optimizer.value_or(Optimizer::adamw);
  t.gradient_dtype = asked.gradient_dtype.value_or(default_gradient_dtype(description, t.precision));
  t.sequence_length = asked.sequence_length.value_or(default_sequence(s.model));
  t.document_length = asked.document_length.value_or(0);
  t.batch_fill = asked.batch_fill.value_or(1);
  t.micro_batch_size = asked.micro_batch_size.value_or(1);
  const std::int64_t accumulation = s.parallelism.pipeline > 1 ? pipeline_fill * s.parallelism.pipeline : 1;
  t.global_batch_size =
      asked.global_batch_size.value_or(product(product(t.micro_batch_size, s.parallelism.data), accumulation));
  resolve_recompute(asked.recompute, t);

  t.loss = asked.loss.value_or(Loss::unfused);
  t.kernels = asked.kernels.value_or(description.kernels);
  t.fused_norm = asked.fused_norm.value_or(t.kernels != Kernels::eager);
  t.attention = asked.attention.value_or(default_attention(s.cluster.gpu, engine, t.kernels));
  t.expandable_segments = asked.expandable_segments.value_or(description.expandable_segments);
  t.engine_version = parse_version(asked.engine_version.value_or("")).value_or(description.newest);
  t.reduce_dtype = asked.reduce_dtype.value_or(default_reduce_dtype(description, t));
  t.boundary_dtype = asked.boundary_dtype.value_or(activation_dtype(t.precision));
  t.moment_dtype = asked.moment_dtype.value_or(DataType::fp32);
  t.master_dtype = asked.master_dtype.value_or(DataType::fp32);
  t.fp8_parameters = asked.fp8_parameters.value_or(false);
  t.attention_mask = asked.attention_mask.value_or(false);
  t.gradient_accumulation_fusion = asked.gradient_accumulation_fusion.value_or(
      description.fuses_gradient_accumulation && t.kernels == Kernels::fused && !s.cluster.gpu.before_ampere());
  t.deterministic = asked.deterministic.value_or(false);
  t.overlap_gradient_reduction = asked.overlap_gradient_reduction.value_or(rules.reduce_overlaps);
  t.overlap_parameter_gather = asked.overlap_parameter_gather.value_or(rules.gather_overlaps);
  t.overlap_tensor_parallel = asked.overlap_tensor_parallel.value_or(false);
  t.cuda_graphs = asked.cuda_graphs.value_or(false);
  t.moe_grouped_gemm = asked.moe_grouped_gemm.value_or(true);
  t.moe_dispatch_dtype = asked.moe_dispatch_dtype.value_or(activation_dtype(t.precision));
  t.moe_dispatcher = asked.moe_dispatcher.value_or(MoeDispatcher::alltoall);
  t.moe_capacity_factor = asked.moe_capacity_factor.value_or(0);
  t.overlap_expert_parallel = asked.overlap_expert_parallel.value_or(false);
  resolve_fine_tuning(asked, t);
  t.optimizer_offload = asked.optimizer_offload.value_or(Offload::none);
  t.parameter_offload = asked.parameter_offload.value_or(Offload::none);
  resolve_zero(asked, description, zero_stage, t);
  t.dropout = asked.dropout.value_or(default_dropout(s.model, engine));
  t.moe_load_factor = asked.moe_load_factor.value_or(1);
  t.tokens = asked.tokens.value_or(0);
  return t;
}

RunPlan resolve_run(const RunRequest& asked, const Cluster& cluster) {
  RunPlan run;
  run.mtbf_gpu_hours = asked.mtbf_gpu_hours.value_or(run.mtbf_gpu_hours);
  run.storage = {
      asked.storage_bytes_per_second.value_or(storage_of_a_node.value * static_cast<double>(cluster.nodes()))};
  run.checkpoint_interval = {asked.checkpoint_interval_seconds.value_or(0)};
  run.restart = {asked.restart_seconds.value_or(run.restart.value)};
  run.straggler_slowdown = asked.straggler_slowdown.value_or(run.straggler_slowdown);
  run.power_share = asked.power_share.value_or(run.power_share);
  run.pue = asked.pue.value_or(run.pue);
  return run;
}

/// What the engine decides of the layout.
void resolve_engine_choices(const ParallelismRequest& asked, Scenario& s) {
  Parallelism& p = s.parallelism;
  const Engine engine = s.training.engine;
  const bool keeps = gathers_units(s) && p.zero_stage == 2;  // SHARD_GRAD_OP is just that
  p.reshard_after_forward = asked.reshard_after_forward.value_or(!keeps);
  // Megatron-LM: --expert-tensor-parallel-size follows --tensor-model-parallel-size (arguments.py).
  p.expert_tensor = asked.expert_tensor.value_or(s.model.moe.used() && engine == Engine::megatron ? p.tensor : 1);
  const bool splits_evenly = s.training.sequence_length / p.context % p.tensor == 0;
  p.sequence_parallel = asked.sequence_parallel.value_or(engine == Engine::megatron && p.tensor > 1 && splits_evenly);
}

void check_all(const Scenario& s, Findings& findings) {
  for_each_rule([&](const Rule& rule) { rule.check(s, findings); });
}

}  // namespace

bool gathers_units(const Scenario& s) {
  return describe_engine(s.training.engine, s.parallelism.zero_stage).buffers.gathered_units_forward > 0;
}

Issues broken_rules(const Scenario& s) {
  Findings findings;
  check_all(s, findings);
  return std::move(findings).take();
}

/// Puts the list that a layout string stands for into the request.
void read_layout(ParallelismRequest& p, std::vector<std::string>& unread, Issues& issues) {
  if (!p.pipeline_layout) return;
  const auto fail = [&](const std::string& why) {
    issues.push_back({path::pipeline_layout, "pipeline_layout is " + in_quotes(*p.pipeline_layout) + ". " + why + '.'});
    for (const char* field : {path::pipeline_layout, path::stage_layers, path::virtual_pipeline}) {
      unread.emplace_back(field);
    }
  };
  PipelineLayout layout = parse_pipeline_layout(*p.pipeline_layout);
  if (!layout.problem.empty()) return fail(layout.problem);
  if (p.stage_layers) return fail("Keep either it or stage_layers");
  const auto chunks = static_cast<std::int64_t>(layout.layers.size());
  const std::int64_t stages = p.pipeline.value_or(1);
  if (stages < 1 || chunks % stages != 0) {
    return fail("Its " + number_text(chunks) + " chunks are no multiple of pipeline_parallel_size " +
                number_text(stages));
  }
  if (!p.virtual_pipeline) p.virtual_pipeline = chunks / stages;
  p.stage_layers = std::move(layout.layers);
}

Cluster resolve_cluster(const ScenarioRequest& request) {
  const ClusterRequest& asked = request.cluster;
  Cluster cluster = request.hardware.value_or(Cluster{});
  cluster.gpus_per_node = asked.gpus_per_node.value_or(cluster.gpus_per_node);
  cluster.gpu.memory = {std::floor(asked.memory_bytes.value_or(cluster.gpu.memory.value))};  // whole bytes
  if (asked.memory_bytes_per_second) cluster.gpu.hbm = {*asked.memory_bytes_per_second};
  cluster.power_cap_watts = asked.power_watts.value_or(0);
  if (asked.intra_node_bytes_per_second) cluster.intra.bandwidth = {*asked.intra_node_bytes_per_second};
  if (asked.inter_node_bytes_per_second) cluster.inter.bandwidth = {*asked.inter_node_bytes_per_second};
  if (asked.intra_node_latency_seconds) cluster.intra.latency = {*asked.intra_node_latency_seconds};
  if (asked.inter_node_latency_seconds) cluster.inter.latency = {*asked.inter_node_latency_seconds};
  if (asked.intra_node_topology) cluster.intra_topology = name_of(*asked.intra_node_topology);
  if (asked.network) cluster.inter_type = name_of(*asked.network);
  cluster.oversubscription = asked.oversubscription.value_or(cluster.oversubscription);
  cluster.nodes_per_block = asked.nodes_per_block.value_or(cluster.nodes_per_block);
  cluster.in_network_reduction = asked.in_network_reduction.value_or(cluster.in_network_reduction);
  if (asked.usd_per_gpu_hour) cluster.usd_per_gpu_hour = asked.usd_per_gpu_hour;
  return cluster;
}

void follow_schedule(const ScenarioRequest& request, Scenario& s) {
  s.parallelism.micro_batch_group = request.parallelism.micro_batch_group.value_or(s.parallelism.pipeline);
  s.training.overlap_pipeline = request.training.overlap_pipeline.value_or(overlaps_messages(s.parallelism.schedule));
}

Scenario filled_in(const ScenarioRequest& request) {
  Scenario s;
  s.model = request.model.value_or(ModelShape{});
  s.cluster = resolve_cluster(request);
  s.cluster.gpus = request.cluster.gpus.value_or(default_gpus(request, s.cluster.gpus_per_node));
  s.parallelism = resolve_degrees(request.parallelism, s.cluster.gpus);
  const Engine engine = request.training.engine.value_or(default_engine(request, s.cluster.gpus == 1));
  s.parallelism.zero_stage = request.parallelism.zero_stage.value_or(describe_engine(engine).default_zero);
  s.training = resolve_training(request.training, s, engine);
  resolve_engine_choices(request.parallelism, s);
  follow_schedule(request, s);
  s.run = resolve_run(request.run, s.cluster);
  return s;
}

Issues prepare(ScenarioRequest& request) {
  Issues issues = drop_out_of_range(request);
  read_layout(request.parallelism, request.unread, issues);
  std::vector<std::string>& unread = request.unread;
  if (!request.model) unread.emplace_back(path::model);
  if (!request.hardware) {
    unread.emplace_back(path::hardware);
    if (!request.cluster.gpus_per_node) unread.emplace_back(path::gpus_per_node);
    if (!request.cluster.gpus) unread.emplace_back(path::gpus);
  }
  if (request.training.engine_version && !parse_version(*request.training.engine_version)) {
    issues.push_back({path::engine_version, "engine_version is " + in_quotes(*request.training.engine_version) +
                                                ". Expected: numbers with dots, as in 0.14 or 4.45.2."});
  }
  return issues;
}

Result<Resolution> resolve(const ScenarioRequest& asked) {
  ScenarioRequest request = asked;
  Issues issues = prepare(request);
  Scenario s = filled_in(request);
  Findings findings(request.unread);
  check_all(s, findings);
  for (Issue& issue : std::move(findings).take()) issues.push_back(std::move(issue));
  if (!issues.empty() || !request.unread.empty()) return issues;

  Issues warnings = request.notes;
  for (Issue& warning : warnings_of(s)) warnings.push_back(std::move(warning));
  return Resolution{std::move(s), std::move(warnings)};
}

}  // namespace meshgauge
