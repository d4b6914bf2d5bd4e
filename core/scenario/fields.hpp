// The fields of a scenario, once: key, unit, range, default and help. Reading, writing, `describe` and the command
// line's help all walk these lists.
//
// A visitor is called as visit(FieldText, std::optional<T> Request::*, std::optional<T> (*)(const Scenario&)): where a
// request holds the field, and what a resolved scenario writes for it (nothing: the field is left out).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/request.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

inline constexpr std::int64_t schema_version = 1;

struct FieldText {
  std::string_view key = {};
  std::string_view unit = {};  ///< empty: a plain number or a word
  double min = 0, max = 0;    ///< equal: no range
  std::string_view fallback = {};  ///< what an omitted field becomes
  std::string_view help = {};

  [[nodiscard]] constexpr bool ranged() const { return min < max; }
};

/// Upper ends of the ranges. Products of them stay finite in a double.
namespace limit {
inline constexpr double gpus = 1e6;
inline constexpr double pipeline = 1024;  // every stage is listed in the answer
inline constexpr double virtual_pipeline = 128;
inline constexpr double layers = 100000;
inline constexpr double sequence = 1e9;
inline constexpr double micro_batch = 1e6;
inline constexpr double global_batch = 1e9;
inline constexpr double memory = 1e15;
inline constexpr double rate = 1e15;
inline constexpr double seconds = 1;
inline constexpr double usd = 1e6;
inline constexpr double load_factor = 1e4;
inline constexpr double tokens = 1e18;
}  // namespace limit

/// What a resolved scenario writes.
namespace written {

template <auto Section, auto Member>
auto member(const Scenario& s) {
  return std::optional{s.*Section.*Member};
}
inline std::optional<std::string> some(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}
inline std::optional<double> positive(double value) { return value > 0 ? std::optional{value} : std::nullopt; }

inline std::optional<std::string> system(const Scenario& s) { return some(s.cluster.system); }
inline std::optional<std::string> gpu(const Scenario& s) {
  return s.cluster.system.empty() ? some(s.cluster.gpu.id) : std::nullopt;
}
inline std::optional<double> memory(const Scenario& s) { return positive(s.cluster.gpu.memory.value); }
inline std::optional<double> intra_rate(const Scenario& s) { return positive(s.cluster.intra.bandwidth.value); }
inline std::optional<double> inter_rate(const Scenario& s) { return positive(s.cluster.inter.bandwidth.value); }
inline std::optional<double> intra_latency(const Scenario& s) { return positive(s.cluster.intra.latency.value); }
inline std::optional<double> inter_latency(const Scenario& s) { return positive(s.cluster.inter.latency.value); }
inline std::optional<double> usd(const Scenario& s) { return s.cluster.usd_per_gpu_hour; }
inline std::optional<std::vector<std::int64_t>> stage_layers(const Scenario& s) {
  return s.parallelism.stage_layers.empty() ? std::nullopt : std::optional{s.parallelism.stage_layers};
}
std::optional<RecomputeRequest> recompute(const Scenario& s);

}  // namespace written

template <class Visit>
void cluster_fields(Visit&& visit) {
  using R = ClusterRequest;
  constexpr auto cluster = &Scenario::cluster;
  visit(FieldText{.key = "system", .fallback = "none: name a system or a gpu",
                  .help = "Server type of the catalog: its GPU, links and price."},
        &R::system, &written::system);
  visit(FieldText{.key = "gpu", .fallback = "the system's", .help = "GPU of the catalog, where no system is named."},
        &R::gpu, &written::gpu);
  visit(FieldText{"gpus", "GPUs", 1, limit::gpus,
                  "gpus_per_node, or the product of the given degrees; 1 with the single engine",
                  "GPUs of the whole job."},
        &R::gpus, &written::member<cluster, &Cluster::gpus>);
  visit(FieldText{"gpus_per_node", "GPUs", 1, limit::gpus, "the system's, else 8",
                  "GPUs joined by the fast link of one node."},
        &R::gpus_per_node, &written::member<cluster, &Cluster::gpus_per_node>);
  visit(FieldText{"memory_bytes", "bytes", 1e6, limit::memory, "the GPU's",
                  "Memory that a process can get on one GPU; replaces the catalog's figure."},
        &R::memory_bytes, &written::memory);
  visit(FieldText{"intra_node_bytes_per_second", "bytes/s", 1e6, limit::rate, "the system's, else the GPU's fabric",
                  "Link inside a node: rate of one GPU in one direction."},
        &R::intra_node_bytes_per_second, &written::intra_rate);
  visit(FieldText{"inter_node_bytes_per_second", "bytes/s", 1e6, limit::rate, "the system's, else 25e9 (200 Gb/s)",
                  "Network between nodes: rate of one GPU in one direction."},
        &R::inter_node_bytes_per_second, &written::inter_rate);
  visit(FieldText{"intra_node_latency_seconds", "seconds", 0, limit::seconds, "the profile's",
                  "Latency of one hop inside a node."},
        &R::intra_node_latency_seconds, &written::intra_latency);
  visit(FieldText{"inter_node_latency_seconds", "seconds", 0, limit::seconds, "the profile's",
                  "Latency of one hop between nodes."},
        &R::inter_node_latency_seconds, &written::inter_latency);
  visit(FieldText{"usd_per_gpu_hour", "USD/h", 0, limit::usd, "the system's, if its price is published",
                  "Price of one GPU for one hour."},
        &R::usd_per_gpu_hour, &written::usd);
}

template <class Visit>
void parallelism_fields(Visit&& visit) {
  using R = ParallelismRequest;
  using P = Parallelism;
  constexpr auto parallelism = &Scenario::parallelism;
  visit(FieldText{"tensor_parallel_size", "ranks", 1, limit::gpus, "1",
                  "TP: ranks that share the matrices of each layer."},
        &R::tensor, &written::member<parallelism, &P::tensor>);
  visit(FieldText{.key = "sequence_parallel", .fallback = "true for megatron with tensor parallelism",
                  .help = "Also splits norms and dropout along the sequence over the tensor-parallel ranks."},
        &R::sequence_parallel, &written::member<parallelism, &P::sequence_parallel>);
  visit(FieldText{"pipeline_parallel_size", "stages", 1, limit::pipeline, "1", "PP: pipeline stages."},
        &R::pipeline, &written::member<parallelism, &P::pipeline>);
  visit(FieldText{"virtual_pipeline_size", "chunks", 1, limit::virtual_pipeline, "1; 2 for zb-v",
                  "VPP: model chunks on each pipeline rank."},
        &R::virtual_pipeline, &written::member<parallelism, &P::virtual_pipeline>);
  visit(FieldText{.key = "pipeline_schedule", .fallback = "1f1b; interleaved if virtual_pipeline_size is above 1",
                  .help = "Order of forward and backward passes in the pipeline."},
        &R::schedule, &written::member<parallelism, &P::schedule>);
  visit(FieldText{"stage_layers", "layers", 0, limit::layers, "as even as possible",
                  "Layers of each model chunk in model order, where the split is uneven."},
        &R::stage_layers, &written::stage_layers);
  visit(FieldText{"context_parallel_size", "ranks", 1, limit::gpus, "1",
                  "CP: ranks that share each sequence, attention included."},
        &R::context, &written::member<parallelism, &P::context>);
  visit(FieldText{.key = "context_parallel_kind", .fallback = "ring",
                  .help = "How attention crosses context-parallel ranks."},
        &R::context_kind, &written::member<parallelism, &P::context_kind>);
  visit(FieldText{"expert_parallel_size", "ranks", 1, limit::gpus, "1", "EP: ranks that share the experts of a layer."},
        &R::expert, &written::member<parallelism, &P::expert>);
  visit(FieldText{"expert_tensor_parallel_size", "ranks", 1, limit::gpus,
                  "tensor_parallel_size for experts under megatron, else 1",
                  "ETP: ranks that share the matrices of each expert."},
        &R::expert_tensor, &written::member<parallelism, &P::expert_tensor>);
  visit(FieldText{"data_parallel_size", "ranks", 1, limit::gpus, "gpus / (TP x PP x CP)",
                  "DP: replicas that split the global batch."},
        &R::data, &written::member<parallelism, &P::data>);
  visit(FieldText{"zero_stage", "", 0, 3, "the engine's",
                  "What data parallelism shards: 0 nothing, 1 optimizer states, 2 and gradients, 3 and parameters."},
        &R::zero_stage, &written::member<parallelism, &P::zero_stage>);
  visit(FieldText{.key = "reshard_after_forward", .fallback = "true",
                  .help = "FSDP: frees gathered parameters between forward and backward."},
        &R::reshard_after_forward, &written::member<parallelism, &P::reshard_after_forward>);
}

template <class Visit>
void training_fields(Visit&& visit) {
  using R = TrainingRequest;
  using T = Training;
  constexpr auto training = &Scenario::training;
  visit(FieldText{.key = "engine",
                  .fallback = "single on 1 GPU; megatron with TP, PP, CP or EP; deepspeed with a ZeRO stage; else ddp",
                  .help = "Training software whose memory and communication is counted."},
        &R::engine, &written::member<training, &T::engine>);
  visit(FieldText{.key = "precision", .fallback = "bf16; fp16, else fp32, where the GPU has none",
                  .help = "Number format of the matrix products; fp32 master states but for pure_bf16."},
        &R::precision, &written::member<training, &T::precision>);
  visit(FieldText{.key = "optimizer", .fallback = "adamw", .help = "Update rule, which sets the states per parameter."},
        &R::optimizer, &written::member<training, &T::optimizer>);
  visit(FieldText{.key = "gradient_dtype", .fallback = "the engine's",
                  .help = "Number format in which gradients add up over micro-batches."},
        &R::gradient_dtype, &written::member<training, &T::gradient_dtype>);
  visit(FieldText{"sequence_length", "tokens", 1, limit::sequence, "the model's positions, at most 4,096",
                  "Tokens of one sequence."},
        &R::sequence_length, &written::member<training, &T::sequence_length>);
  visit(FieldText{"micro_batch_size", "sequences", 1, limit::micro_batch, "1",
                  "Sequences that one replica runs forward at once."},
        &R::micro_batch_size, &written::member<training, &T::micro_batch_size>);
  visit(FieldText{"global_batch_size", "sequences", 1, limit::global_batch,
                  "micro_batch_size x DP, times 4 x PP with a pipeline", "Sequences of one optimizer step."},
        &R::global_batch_size, &written::member<training, &T::global_batch_size>);
  visit(FieldText{.key = "recompute", .fallback = "none",
                  .help = "Activations that are dropped and computed again in backward."},
        &R::recompute, &written::recompute);
  visit(FieldText{.key = "attention", .fallback = "flash; unfused on GPUs before Ampere",
                  .help = "Whether the score matrix is kept (unfused) or not (flash)."},
        &R::attention, &written::member<training, &T::attention>);
  visit(FieldText{.key = "loss", .fallback = "unfused", .help = "How the vocabulary loss holds its logits."},
        &R::loss, &written::member<training, &T::loss>);
  visit(FieldText{.key = "kernels", .fallback = "the engine's", .help = "How far element-wise operators are fused."},
        &R::kernels, &written::member<training, &T::kernels>);
  visit(FieldText{.key = "dropout", .fallback = "true where the engine trains the model family with dropout",
                  .help = "Whether dropout masks are kept."},
        &R::dropout, &written::member<training, &T::dropout>);
  visit(FieldText{"moe_load_factor", "", 1, limit::load_factor, "1",
                  "Tokens on the fullest expert rank over the mean."},
        &R::moe_load_factor, &written::member<training, &T::moe_load_factor>);
  visit(FieldText{"tokens", "tokens", 0, limit::tokens, "0: not asked", "Tokens of the whole run."},
        &R::tokens, &written::member<training, &T::tokens>);
}

/// The parts of a recompute object.
inline constexpr FieldText recompute_method_field{.key = "method", .fallback = "uniform",
                                                  .help = "Full recompute: uniform checkpoints every n layers, block "
                                                          "recomputes the first n layers of each chunk."};
inline constexpr FieldText recompute_layers_field{"layers", "layers", 1, limit::layers, "1",
                                                  "Full recompute: the n of the method."};
inline constexpr FieldText recompute_modules_field{.key = "modules", .fallback = "core_attention",
                                                   .help = "Selective recompute: what is dropped in each layer."};

struct RecomputeModule {
  std::string_view name;
  bool RecomputeModules::*flag;
};
inline constexpr RecomputeModule recompute_modules[] = {
    {"core_attention", &RecomputeModules::core_attention},
    {"layernorm", &RecomputeModules::layernorm},
    {"mlp", &RecomputeModules::mlp},
    {"moe_activation", &RecomputeModules::moe_activation},
    {"mla_up_projection", &RecomputeModules::mla_up_projection},
};

/// A field as `describe` and help texts show it.
struct FieldInfo {
  std::string path;                       ///< JSON pointer
  std::string_view type;                  ///< integer, number, boolean, enum, string, array, object
  FieldText text;
  std::vector<std::string_view> options;  ///< of an enum, or of an array's items
};

/// Every field of a scenario document in order.
[[nodiscard]] std::vector<FieldInfo> scenario_fields();

}  // namespace meshgauge
