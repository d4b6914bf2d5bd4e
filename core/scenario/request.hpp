// A scenario as asked for: what the user gave, and nothing for what is left to the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/issue.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/model_shape.hpp"
#include "core/scenario/parallelism.hpp"
#include "core/scenario/training.hpp"

namespace meshgauge {

struct ClusterRequest {
  std::optional<std::string> system;
  std::optional<std::string> gpu;
  std::optional<std::int64_t> gpus;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<double> memory_bytes;
  std::optional<double> memory_bytes_per_second;
  std::optional<double> power_watts;
  std::optional<double> intra_node_bytes_per_second;
  std::optional<double> inter_node_bytes_per_second;
  std::optional<double> intra_node_latency_seconds;
  std::optional<double> inter_node_latency_seconds;
  std::optional<Topology> intra_node_topology;
  std::optional<Network> network;
  std::optional<double> oversubscription;
  std::optional<std::int64_t> nodes_per_block;
  std::optional<bool> in_network_reduction;
  std::optional<double> usd_per_gpu_hour;
};

struct ParallelismRequest {
  std::optional<std::int64_t> tensor;
  std::optional<bool> sequence_parallel;
  std::optional<std::int64_t> pipeline;
  std::optional<std::int64_t> virtual_pipeline;
  std::optional<Schedule> schedule;
  std::optional<std::vector<std::int64_t>> stage_layers;
  std::optional<std::string> pipeline_layout;
  std::optional<std::int64_t> context;
  std::optional<ContextParallelKind> context_kind;
  std::optional<std::int64_t> expert;
  std::optional<std::int64_t> expert_tensor;
  std::optional<std::int64_t> data;
  std::optional<std::int64_t> replicas;
  std::optional<std::int64_t> micro_batch_group;
  std::optional<std::int64_t> zero_stage;
  std::optional<bool> reshard_after_forward;
};

/// A word ("full") or an object; `modules` belongs to selective recompute, `method` and `layers` to full.
struct RecomputeRequest {
  Recompute kind = Recompute::none;
  std::optional<RecomputeMethod> method;
  std::optional<std::int64_t> layers;
  std::optional<RecomputeModules> modules;
};

struct TrainingRequest {
  std::optional<Engine> engine;
  std::optional<Precision> precision;
  std::optional<Optimizer> optimizer;
  std::optional<DataType> gradient_dtype;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> micro_batch_size;
  std::optional<std::int64_t> global_batch_size;
  std::optional<RecomputeRequest> recompute;
  std::optional<Attention> attention;
  std::optional<Loss> loss;
  std::optional<Kernels> kernels;
  std::optional<std::string> engine_version;
  std::optional<DataType> reduce_dtype;
  std::optional<DataType> boundary_dtype;
  std::optional<DataType> moment_dtype;
  std::optional<DataType> master_dtype;
  std::optional<bool> fp8_parameters;
  std::optional<bool> gradient_accumulation_fusion;
  std::optional<bool> attention_mask;
  std::optional<bool> deterministic;
  std::optional<Peft> peft;
  std::optional<std::int64_t> lora_rank;
  std::optional<LoraTargets> lora_targets;
  std::optional<LoraKernels> lora_kernels;
  std::optional<std::int64_t> document_length;
  std::optional<double> batch_fill;
  std::optional<double> lora_dropout;
  std::optional<bool> expandable_segments;
  std::optional<bool> fused_norm;
  std::optional<bool> double_quantisation;
  std::optional<bool> upcast_residual;
  std::optional<Objective> objective;
  std::optional<Offload> optimizer_offload;
  std::optional<Offload> parameter_offload;
  std::optional<double> reduce_bucket_size;
  std::optional<double> stage3_prefetch_bucket_size;
  std::optional<double> stage3_max_reuse_distance;
  std::optional<double> sub_group_size;
  std::optional<std::int64_t> zero_hpz_partition_size;
  std::optional<bool> zero_quantized_weights;
  std::optional<bool> zero_quantized_gradients;
  std::optional<bool> overlap_gradient_reduction;
  std::optional<bool> overlap_parameter_gather;
  std::optional<bool> overlap_tensor_parallel;
  std::optional<bool> overlap_expert_parallel;
  std::optional<bool> overlap_pipeline;
  std::optional<bool> cuda_graphs;
  std::optional<MoeDispatcher> moe_dispatcher;
  std::optional<DataType> moe_dispatch_dtype;
  std::optional<bool> moe_grouped_gemm;
  std::optional<double> moe_capacity_factor;
  std::optional<bool> dropout;
  std::optional<double> moe_load_factor;
  std::optional<double> tokens;
};

struct RunRequest {
  std::optional<double> mtbf_gpu_hours;
  std::optional<double> storage_bytes_per_second;
  std::optional<double> checkpoint_interval_seconds;
  std::optional<double> restart_seconds;
  std::optional<double> straggler_slowdown;
  std::optional<double> power_share;
  std::optional<double> pue;
};

struct ScenarioRequest {
  std::optional<ModelShape> model;  ///< nothing: it could not be read
  std::optional<Cluster> hardware;  ///< what `cluster.system` or `cluster.gpu` stands for; nothing: not known
  ClusterRequest cluster;
  ParallelismRequest parallelism;
  TrainingRequest training;
  RunRequest run;
  Issues notes;                     ///< legal, but worth a word: what was left out in reading
  std::vector<std::string> unread;  ///< JSON pointers of what was given but could not be read
};

}  // namespace meshgauge
