// Megatron-LM's arguments: megatron/training/arguments.py (core_v0.14.0).
#include <algorithm>
#include <array>
#include <string>

#include "core/io/configs/megatron_options.hpp"

namespace meshgauge {
namespace {

using megatron_options::find, megatron_options::is_on, megatron_options::Json, megatron_options::whole,
    megatron_options::word;

constexpr auto same = std::to_array<SameField>({
    {"tensor-model-parallel-size", "/parallelism/tensor_parallel_size"},
    {"sequence-parallel", "/parallelism/sequence_parallel"},
    {"pipeline-model-parallel-size", "/parallelism/pipeline_parallel_size"},
    {"num-virtual-stages-per-pipeline-rank", "/parallelism/virtual_pipeline_size"},
    {"pipeline-model-parallel-layout", "/parallelism/pipeline_layout"},
    {"microbatch-group-size-per-virtual-pipeline-stage", "/parallelism/micro_batch_group_size"},
    {"context-parallel-size", "/parallelism/context_parallel_size"},
    {"expert-model-parallel-size", "/parallelism/expert_parallel_size"},
    {"expert-tensor-parallel-size", "/parallelism/expert_tensor_parallel_size"},
    {"num-distributed-optimizer-instances", "/parallelism/data_parallel_replicate_size"},
    {"micro-batch-size", "/training/micro_batch_size"},
    {"global-batch-size", "/training/global_batch_size"},
    {"seq-length", "/training/sequence_length"},
    {"overlap-grad-reduce", "/training/overlap_gradient_reduction"},
    {"overlap-param-gather", "/training/overlap_parameter_gather"},
    {"tp-comm-overlap", "/training/overlap_tensor_parallel"},
    {"overlap-moe-expert-parallel-comm", "/training/overlap_expert_parallel"},
    {"fp8-param-gather", "/training/fp8_parameters"},
    {"moe-grouped-gemm", "/training/moe_grouped_gemm"},
    {"moe-expert-capacity-factor", "/training/moe_capacity_factor"},
    {"enable-cuda-graph", "/training/cuda_graphs"},
    {"deterministic-mode", "/training/deterministic"},
    {"exp-avg-dtype", "/training/moment_dtype"},
});

/// A word of an argument, and what it means in a field; an empty word is the flag itself.
struct Meaning {
  std::string_view key, word, path, value;
};
constexpr auto meanings = std::to_array<Meaning>({
    {"bf16", "", "/training/precision", "bf16"},
    {"fp16", "", "/training/precision", "fp16"},
    {"optimizer", "adam", "/training/optimizer", "adamw"},
    {"optimizer", "muon", "/training/optimizer", "muon"},
    {"cp-comm-type", "p2p", "/parallelism/context_parallel_kind", "ring"},
    {"cp-comm-type", "a2a", "/parallelism/context_parallel_kind", "ulysses"},
    {"cp-comm-type", "allgather", "/parallelism/context_parallel_kind", "all_gather"},
    {"attention-backend", "flash", "/training/attention", "flash"},
    {"attention-backend", "fused", "/training/attention", "cudnn"},
    {"attention-backend", "unfused", "/training/attention", "unfused"},
    {"attention-backend", "local", "/training/attention", "unfused"},
    {"use-flash-attn", "", "/training/attention", "flash"},
    {"transformer-impl", "transformer_engine", "/training/kernels", "fused"},
    {"transformer-impl", "local", "/training/kernels", "eager"},
    {"moe-token-dispatcher-type", "alltoall", "/training/moe_dispatcher", "alltoall"},
    {"moe-token-dispatcher-type", "allgather", "/training/moe_dispatcher", "allgather"},
    {"moe-enable-deepep", "", "/training/moe_dispatcher", "deepep"},
    {"grad-reduce-in-bf16", "", "/training/gradient_dtype", "bf16"},
    {"optimizer-cpu-offload", "", "/training/optimizer_offload", "cpu"},
});

constexpr auto used_with_others = std::to_array<std::string_view>(
    {"recompute-granularity", "recompute-method", "recompute-num-layers", "recompute-modules", "recompute-activations",
     "fp8-format", "fp8-recipe", "hidden-dropout", "attention-dropout", "cross-entropy-loss-fusion",
     "cross-entropy-fusion-impl", "use-distributed-optimizer", "use-precision-aware-optimizer", "sgd-momentum",
     "no-create-attention-mask-in-dataloader", "no-gradient-accumulation-fusion", "no-overlap-p2p-communication",
     "num-layers-per-virtual-pipeline-stage"});

constexpr auto model_keys = std::to_array<std::string_view>({"num-layers",
                                                             "hidden-size",
                                                             "ffn-hidden-size",
                                                             "num-attention-heads",
                                                             "group-query-attention",
                                                             "num-query-groups",
                                                             "kv-channels",
                                                             "max-position-embeddings",
                                                             "position-embedding-type",
                                                             "normalization",
                                                             "swiglu",
                                                             "disable-bias-linear",
                                                             "add-qkv-bias",
                                                             "qk-layernorm",
                                                             "untie-embeddings-and-output-weights",
                                                             "vocab-size",
                                                             "tokenizer-type",
                                                             "num-experts",
                                                             "moe-router-topk",
                                                             "moe-ffn-hidden-size",
                                                             "moe-layer-freq",
                                                             "moe-shared-expert-intermediate-size",
                                                             "multi-latent-attention",
                                                             "q-lora-rank",
                                                             "kv-lora-rank",
                                                             "qk-head-dim",
                                                             "qk-pos-emb-head-dim",
                                                             "v-head-dim",
                                                             "mtp-num-layers",
                                                             "padded-vocab-size"});

constexpr auto no_cost = std::to_array<std::string_view>({"lr*",
                                                          "min-lr",
                                                          "weight-decay*",
                                                          "adam-*",
                                                          "clip-grad",
                                                          "start-weight-decay",
                                                          "end-weight-decay",
                                                          "decoupled-*",
                                                          "train-iters",
                                                          "train-samples",
                                                          "exit-*",
                                                          "log*",
                                                          "tensorboard*",
                                                          "wandb*",
                                                          "save*",
                                                          "load",
                                                          "no-load*",
                                                          "no-save*",
                                                          "ckpt*",
                                                          "async-save",
                                                          "use-checkpoint*",
                                                          "override-opt_param-scheduler",
                                                          "finetune",
                                                          "seed",
                                                          "init-method*",
                                                          "data-path",
                                                          "split",
                                                          "data-cache-path",
                                                          "mock-data",
                                                          "num-workers",
                                                          "tokenizer-model",
                                                          "vocab-file",
                                                          "merge-file",
                                                          "tiktoken-pattern",
                                                          "dataloader-type",
                                                          "reset-*",
                                                          "eod-mask-loss",
                                                          "no-mmap-bin-files",
                                                          "eval*",
                                                          "distributed-backend",
                                                          "distributed-timeout-minutes",
                                                          "timing-log*",
                                                          "profile*",
                                                          "use-pytorch-profiler",
                                                          "rotary-*",
                                                          "use-rotary-position-embeddings",
                                                          "use-rope-scaling",
                                                          "rope-*",
                                                          "no-rope-fusion",
                                                          "norm-epsilon",
                                                          "attention-softmax-in-fp32",
                                                          "apply-layernorm-1p",
                                                          "no-masked-softmax-fusion",
                                                          "no-bias-swiglu-fusion",
                                                          "no-bias-gelu-fusion",
                                                          "no-bias-dropout-fusion",
                                                          "use-mcore-models",
                                                          "use-legacy-models",
                                                          "manual-gc*",
                                                          "empty-unused-memory-level",
                                                          "make-vocab-size-divisible-by",
                                                          "calculate-per-token-loss",
                                                          "fp8-amax*",
                                                          "fp8-margin",
                                                          "moe-aux-loss-coeff",
                                                          "moe-z-loss-coeff",
                                                          "moe-router-load-balancing-type",
                                                          "moe-router-dtype",
                                                          "moe-router-score-function",
                                                          "moe-router-num-groups",
                                                          "moe-router-group-topk",
                                                          "moe-router-topk-scaling-factor",
                                                          "moe-router-pre-softmax",
                                                          "moe-router-bias-update-rate",
                                                          "moe-router-enable-expert-bias",
                                                          "mtp-loss-scaling-factor",
                                                          "nccl-*",
                                                          "use-tp-pp-dp-mapping",
                                                          "initial-loss-scale",
                                                          "loss-scale*",
                                                          "hysteresis",
                                                          "rerun-mode",
                                                          "check-for-nan*",
                                                          "no-check-for-nan*",
                                                          "no-one-logger",
                                                          "exp-avg-sq-dtype",
                                                          "accumulate-allreduce-grads-in-fp32",
                                                          "te-rng-tracker",
                                                          "no-async-tensor-model-parallel-allreduce",
                                                          "use-cpu-initialization",
                                                          "kv-channels-is-default"});
constexpr auto not_counted = std::to_array<std::string_view>(
    {"ddp-bucket-size", "ddp-num-buckets", "moe-permute-fusion", "moe-pad-expert-input-to-capacity",
     "moe-token-drop-policy", "distribute-saved-activations", "moe-shared-expert-overlap", "delay-wgrad-compute",
     "ddp-pad-buckets-for-high-nccl-busbw", "ddp-average-in-collective", "overlap-p2p-communication-warmup-flush",
     "align-param-gather", "no-align-grad-reduce", "optimizer-offload-fraction", "overlap-cpu-optimizer-d2h-h2d",
     "main-grads-dtype", "main-params-dtype", "cuda-graph-scope"});

void read_recompute(const Json& o, ConfigReading& reading) {
  const std::string kind = is_on(o, "recompute-activations") ? "selective" : word(o, "recompute-granularity", "");
  if (kind == "full") {
    reading.set("/training/recompute",
                {{"method", word(o, "recompute-method", "uniform")}, {"layers", whole(o, "recompute-num-layers", 1)}});
  } else if (kind == "selective") {
    Json modules = Json::array();
    const Json* named = find(o, "recompute-modules");
    for (const Json& module : named != nullptr && named->is_array() ? *named
                              : named != nullptr                    ? Json::array({*named})
                                                                    : Json::array({"core_attn"})) {
      modules.push_back(module == "core_attn"     ? Json("core_attention")
                        : module == "moe_act"     ? Json("moe_activation")
                        : module == "mla_up_proj" ? Json("mla_up_projection")
                                                  : module);
    }
    reading.set("/training/recompute", {{"modules", std::move(modules)}});
  }
}

void read_combinations(const Json& o, ConfigReading& reading) {
  reading.set("/parallelism/zero_stage", is_on(o, "use-distributed-optimizer") ? 1 : 0);
  if (find(o, "sequence-parallel") == nullptr) reading.set("/parallelism/sequence_parallel", false);
  if (!is_on(o, "bf16") && !is_on(o, "fp16")) reading.set("/training/precision", "fp32");
  if (is_on(o, "fp8-format"))
    reading.set("/training/precision", word(o, "fp8-recipe", "") == "mxfp8" ? "mxfp8" : "fp8");
  if (word(o, "optimizer", "adam") == "sgd") {
    const Json* momentum = find(o, "sgd-momentum");
    const bool still = momentum != nullptr && momentum->is_number() && momentum->get<double>() == 0;
    reading.set("/training/optimizer", still ? "sgd" : "momentum");
  }
  if (is_on(o, "use-precision-aware-optimizer") && is_on(o, "bf16")) reading.set("/training/master_dtype", "bf16");
  const Json* hidden = find(o, "hidden-dropout");
  reading.set("/training/dropout", hidden == nullptr || *hidden != Json(0.0));  // 0.1 unless told otherwise
  if (is_on(o, "cross-entropy-loss-fusion")) {
    reading.set("/training/loss", word(o, "cross-entropy-fusion-impl", "native") == "te" ? "fused" : "native");
  }
  reading.set("/training/attention_mask", !is_on(o, "no-create-attention-mask-in-dataloader"));
  if (is_on(o, "no-gradient-accumulation-fusion")) reading.set("/training/gradient_accumulation_fusion", false);
  if (is_on(o, "no-overlap-p2p-communication")) reading.set("/training/overlap_pipeline", false);
  if (find(o, "num-experts") != nullptr && find(o, "moe-token-dispatcher-type") == nullptr) {
    reading.set("/training/moe_dispatcher", "allgather");  // its default
  }
  const std::int64_t chunk = whole(o, "num-layers-per-virtual-pipeline-stage", 0);
  const std::int64_t stages = whole(o, "pipeline-model-parallel-size", 1);
  if (chunk > 0 && stages > 0 && chunk < 100000 && stages < 100000) {
    reading.set("/parallelism/virtual_pipeline_size", whole(o, "num-layers", 0) / (chunk * stages));
  }
  read_recompute(o, reading);
}

void read_entry(const ConfigEntry& entry, ConfigReading& reading) {
  for (const Meaning& row : meanings) {
    const bool fits =
        row.key == entry.key && (row.word.empty() ? entry.value == Json(true) : entry.value == Json(row.word));
    if (fits) return reading.use(entry, row.path, row.value);
  }
  const auto is_in = [&](const auto& keys) { return std::find(keys.begin(), keys.end(), entry.key) != keys.end(); };
  if (entry.key == "moe-token-dispatcher-type" && entry.value == Json("flex"))
    return reading.used(entry, "with its backend");
  if (entry.key == "attention-backend" && entry.value == Json("auto")) return reading.irrelevant(entry, "the default");
  if (entry.key == "optimizer" && entry.value == Json("sgd")) return reading.used(entry, "with --sgd-momentum");
  if (is_in(model_keys)) return reading.used(entry, "the model");
  if (is_in(used_with_others)) return reading.used(entry, "with others");
  if (reading.use_same(entry, same)) return;
  if (entry.key == "nproc_per_node" || entry.key == "nproc-per-node") return reading.used(entry, "GPUs of a node");
  if (entry.key == "nnodes") return reading.used(entry, "nodes");
  constexpr auto starting = std::to_array<std::string_view>(
      {"node_rank", "node-rank", "master_addr", "master-addr", "master_port", "master-port", "rdzv*", "standalone"});
  if (reading.drop_irrelevant(entry, starting, "how processes find each other")) return;
  if (reading.drop_irrelevant(entry, no_cost, "changes neither memory nor the time of a step")) return;
  if (reading.drop_irrelevant(entry, not_counted, "not counted")) return;
  reading.not_understood(entry);
}

}  // namespace

void read_megatron(const Json& options, ConfigReading& reading) {
  reading.set("/training/engine", "megatron");
  megatron_options::read_model(options, reading);
  for (const auto& [key, value] : options.items()) read_entry({key, value}, reading);
  read_combinations(options, reading);
  const std::int64_t processes = whole(options, "nproc_per_node", whole(options, "nproc-per-node", 0));
  const std::int64_t nodes = whole(options, "nnodes", 1);
  constexpr std::int64_t most = 1000000;
  if (processes > 0 && processes <= most && nodes > 0 && nodes <= most) {
    reading.set("/cluster/gpus", processes * nodes);
    if (reading.find("/cluster/system") == nullptr) reading.set("/cluster/gpus_per_node", processes);
  }
}

}  // namespace meshgauge
