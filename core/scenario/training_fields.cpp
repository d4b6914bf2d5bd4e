// The fields of the training, one entry each.
#include "core/scenario/field_slots.hpp"

namespace meshgauge {
namespace {

std::optional<Written> engine_version(const Scenario& s) {
  const EngineVersion& v = s.training.engine_version;
  return std::to_string(v.major) + '.' + std::to_string(v.minor);
}
std::optional<Written> recompute(const Scenario& s) {
  const Training& t = s.training;
  RecomputeRequest request{.kind = t.recompute, .method = {}, .layers = {}, .modules = {}};
  if (t.recompute == Recompute::full) {
    request.method = t.recompute_method;
    request.layers = t.recompute_layers;
  } else if (t.recompute == Recompute::selective) {
    request.modules = t.recompute_modules;
  }
  return request;
}
template <auto Member>
std::optional<Written> of_adapter(const Scenario& s) {
  if (s.training.peft == Peft::none) return std::nullopt;
  return member<&Scenario::training, Member>(s);
}
std::optional<Written> double_quantisation(const Scenario& s) {
  if (s.training.peft != Peft::qlora) return std::nullopt;
  return s.training.double_quantisation;
}
/// DeepSpeed's own settings, where its stage has them.
template <auto Part, auto Member>
std::optional<Written> of_zero(const Scenario& s, std::int64_t least_stage) {
  if (s.training.engine != Engine::deepspeed || s.parallelism.zero_stage < least_stage) return std::nullopt;
  return s.training.*Part.*Member;
}
template <auto Member>
std::optional<Written> of_stage_1(const Scenario& s) {
  return of_zero<&Training::zero_buffers, Member>(s, 1);
}
template <auto Member>
std::optional<Written> of_stage_3(const Scenario& s) {
  return of_zero<&Training::zero_buffers, Member>(s, 3);
}
template <auto Member>
std::optional<Written> of_zero_plus_plus(const Scenario& s) {
  return of_zero<&Training::zero_plus_plus, Member>(s, 3);
}
std::optional<Written> expandable_segments(const Scenario& s) {
  if (!s.training.expandable_segments) return std::nullopt;
  return true;
}
std::optional<Written> document_length(const Scenario& s) {
  if (s.training.document_length == 0) return std::nullopt;
  return s.training.document_length;
}
std::optional<Written> batch_fill(const Scenario& s) {
  if (s.training.batch_fill == 1) return std::nullopt;
  return s.training.batch_fill;
}
std::optional<Written> moe_capacity_factor(const Scenario& s) { return positive(s.training.moe_capacity_factor); }
std::optional<Written> moe_dispatcher(const Scenario& s) {
  if (!s.model.moe.used()) return std::nullopt;
  return name_of(s.training.moe_dispatcher);
}
std::optional<Written> moe_dispatch_dtype(const Scenario& s) {
  if (!s.model.moe.used()) return std::nullopt;
  return name_of(s.training.moe_dispatch_dtype);
}
std::optional<Written> moe_grouped_gemm(const Scenario& s) {
  if (!s.model.moe.used()) return std::nullopt;
  return s.training.moe_grouped_gemm;
}

constexpr auto training_table = std::to_array<Field<TrainingRequest>>({
    {{.key = "engine",
      .fallback = "single on 1 GPU; megatron with TP, PP, CP or EP; deepspeed where a ZeRO stage is named; else ddp",
      .help = "Training software whose memory and communication is counted."},
     choice<&TrainingRequest::engine>(),
     &member<&Scenario::training, &Training::engine>},
    {{.key = "engine_version",
      .fallback = "the newest that is described",
      .help = "Version of the engine's software, as in 0.14 or 4.45.2: defaults and memory changed between them."},
     &TrainingRequest::engine_version,
     &engine_version},
    {{.key = "precision",
      .fallback = "bf16; fp16, else fp32, where the GPU has none",
      .help = "Number format of the matrix products; fp32 master states but for pure_bf16."},
     choice<&TrainingRequest::precision>(),
     &member<&Scenario::training, &Training::precision>},
    {{.key = "optimizer", .fallback = "adamw", .help = "Update rule, which sets the states per parameter."},
     choice<&TrainingRequest::optimizer>(),
     &member<&Scenario::training, &Training::optimizer>},
    {{.key = "gradient_dtype",
      .fallback = "the engine's",
      .help = "Number format in which gradients add up over micro-batches."},
     Choice<TrainingRequest>{all_names<DataType>().first(3),  // nothing adds up in fp8 or int64
                             choice<&TrainingRequest::gradient_dtype>().set},
     &member<&Scenario::training, &Training::gradient_dtype>},
    {{.key = "reduce_dtype",
      .fallback = "the engine's",
      .help = "Number format in which gradients travel: FSDP's reduce_dtype, DDP's compression hooks."},
     Choice<TrainingRequest>{all_names<DataType>().first(4), choice<&TrainingRequest::reduce_dtype>().set},
     &member<&Scenario::training, &Training::reduce_dtype>},
    {{.key = "boundary_dtype",
      .fallback = "that of activations",
      .help = "Number format of what pipeline stages send: fp8 halves it, for two casts."},
     Choice<TrainingRequest>{all_names<DataType>().first(4), choice<&TrainingRequest::boundary_dtype>().set},
     &member<&Scenario::training, &Training::boundary_dtype>},
    {{.key = "moment_dtype", .fallback = "fp32", .help = "Number format of the optimizer's moments."},
     Choice<TrainingRequest>{all_names<DataType>().first(4), choice<&TrainingRequest::moment_dtype>().set},
     &member<&Scenario::training, &Training::moment_dtype>},
    {{.key = "master_dtype",
      .fallback = "fp32",
      .help = "Number format of master weights; bf16: 2-byte remainders beside bf16 weights."},
     Choice<TrainingRequest>{all_names<DataType>().first(3), choice<&TrainingRequest::master_dtype>().set},
     &member<&Scenario::training, &Training::master_dtype>},
    {{.key = "fp8_parameters", .fallback = "false", .help = "Whether weights are stored and gathered in 8 bits."},
     &TrainingRequest::fp8_parameters,
     &member<&Scenario::training, &Training::fp8_parameters>},
    {{"sequence_length", "tokens", 1, limit::sequence, "the model's positions, at most 4,096",
      "Tokens of one sequence."},
     &TrainingRequest::sequence_length,
     &member<&Scenario::training, &Training::sequence_length>},
    {{"document_length", "tokens", 0, limit::sequence, "0: one document a sequence",
      "Mean length of the documents packed into a sequence, which attend within themselves."},
     &TrainingRequest::document_length,
     &document_length},
    {{"batch_fill", "", 0, limit::share, "1",
      "Share of the tokens of a padded batch that are no padding; sequence_length is that of the longest."},
     &TrainingRequest::batch_fill,
     &batch_fill},
    {{"micro_batch_size", "sequences", 1, limit::micro_batch, "1", "Sequences that one replica runs forward at once."},
     &TrainingRequest::micro_batch_size,
     &member<&Scenario::training, &Training::micro_batch_size>},
    {{"global_batch_size", "sequences", 1, limit::global_batch, "micro_batch_size x DP, times 4 x PP with a pipeline",
      "Sequences of one optimizer step."},
     &TrainingRequest::global_batch_size,
     &member<&Scenario::training, &Training::global_batch_size>},
    {{.key = "recompute", .fallback = "none", .help = "Activations that are dropped and computed again in backward."},
     &TrainingRequest::recompute,
     &recompute},
    {{.key = "attention",
      .fallback = "flash; cudnn for megatron from Hopper on; sdpa with eager kernels; unfused before Ampere",
      .help = "Whether the score matrix is kept (unfused) or not. sdpa is PyTorch's, over a flash kernel; flash1 and "
              "triton are slower ones of FlashAttention's first generation."},
     choice<&TrainingRequest::attention>(),
     &member<&Scenario::training, &Training::attention>},
    {{.key = "loss", .fallback = "unfused", .help = "How the vocabulary loss holds its logits."},
     choice<&TrainingRequest::loss>(),
     &member<&Scenario::training, &Training::loss>},
    {{.key = "kernels", .fallback = "the engine's", .help = "How far element-wise operators are fused."},
     choice<&TrainingRequest::kernels>(),
     &member<&Scenario::training, &Training::kernels>},
    {{.key = "fused_norm",
      .fallback = "true unless kernels are eager",
      .help = "Whether RMSNorm is one kernel (Apex, Liger), or one for each operator."},
     &TrainingRequest::fused_norm,
     &member<&Scenario::training, &Training::fused_norm>},
    {{.key = "attention_mask",
      .fallback = "false",
      .help = "Whether the data loader makes a mask of b x s x s bytes (Megatron does unless told otherwise)."},
     &TrainingRequest::attention_mask,
     &member<&Scenario::training, &Training::attention_mask>},
    {{.key = "gradient_accumulation_fusion",
      .fallback = "true for megatron with fused kernels",
      .help = "Whether the matrix product itself adds to the gradient."},
     &TrainingRequest::gradient_accumulation_fusion,
     &member<&Scenario::training, &Training::gradient_accumulation_fusion>},
    {{.key = "deterministic", .fallback = "false", .help = "Deterministic kernels and cuBLAS workspaces."},
     &TrainingRequest::deterministic,
     &member<&Scenario::training, &Training::deterministic>},
    {{.key = "overlap_gradient_reduction",
      .fallback = "the engine's",
      .help = "Whether gradients are reduced while the backward runs."},
     &TrainingRequest::overlap_gradient_reduction,
     &member<&Scenario::training, &Training::overlap_gradient_reduction>},
    {{.key = "overlap_parameter_gather",
      .fallback = "the engine's",
      .help = "Whether updated parameters are gathered while the next forward runs."},
     &TrainingRequest::overlap_parameter_gather,
     &member<&Scenario::training, &Training::overlap_parameter_gather>},
    {{.key = "overlap_tensor_parallel",
      .fallback = "false",
      .help = "Whether tensor-parallel collectives run beside their own products (Transformer Engine user buffers)."},
     &TrainingRequest::overlap_tensor_parallel,
     &member<&Scenario::training, &Training::overlap_tensor_parallel>},
    {{.key = "overlap_pipeline",
      .fallback = "true for interleaved and zero-bubble schedules",
      .help = "Whether messages between stages run beside compute."},
     &TrainingRequest::overlap_pipeline,
     &member<&Scenario::training, &Training::overlap_pipeline>},
    {{.key = "cuda_graphs", .fallback = "false", .help = "Whether layers are replayed without launches by the host."},
     &TrainingRequest::cuda_graphs,
     &member<&Scenario::training, &Training::cuda_graphs>},
    {{.key = "overlap_expert_parallel",
      .fallback = "false",
      .help = "Whether expert all-to-alls run beside another micro-batch, which keeps one more layer."},
     &TrainingRequest::overlap_expert_parallel,
     &member<&Scenario::training, &Training::overlap_expert_parallel>},
    {{.key = "peft",
      .fallback = "none",
      .help = "Low-rank adapters on a frozen base: 16 bit (lora), 4-bit NF4 (qlora) or 4-bit GPTQ (gptq_lora)."},
     choice<&TrainingRequest::peft>(),
     &member<&Scenario::training, &Training::peft>},
    {{"lora_rank", "", 1, limit::lora_rank, "16", "Rank of the adapters."},
     &TrainingRequest::lora_rank,
     &of_adapter<&Training::lora_rank>},
    {{.key = "lora_targets", .fallback = "attention", .help = "Matrices that carry an adapter."},
     choice<&TrainingRequest::lora_targets>(),
     &of_adapter<&Training::lora_targets>},
    {{.key = "lora_kernels", .fallback = "plain", .help = "fused: base and adapter run in one operator."},
     choice<&TrainingRequest::lora_kernels>(),
     &of_adapter<&Training::lora_kernels>},
    {{"lora_dropout", "", 0, limit::share, "0", "Dropout on the adapters' inputs, which then are copies of their own."},
     &TrainingRequest::lora_dropout,
     &of_adapter<&Training::lora_dropout>},
    {{.key = "expandable_segments",
      .fallback = "true for torchtitan, else false",
      .help = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, which keeps little memory beside the tensors."},
     &TrainingRequest::expandable_segments,
     &expandable_segments},
    {{.key = "double_quantisation", .fallback = "true", .help = "QLoRA: whether the scales are quantised too."},
     &TrainingRequest::double_quantisation,
     &double_quantisation},
    {{.key = "upcast_residual",
      .fallback = "false",
      .help = "Whether norms and residual stream are fp32 (peft's prepare_model_for_kbit_training)."},
     &TrainingRequest::upcast_residual,
     &of_adapter<&Training::upcast_residual>},
    {{.key = "objective",
      .fallback = "next_token",
      .help = "dpo: policy and frozen reference on pairs of answers; reward: pairs of answers."},
     choice<&TrainingRequest::objective>(),
     &member<&Scenario::training, &Training::objective>},
    {{.key = "optimizer_offload", .fallback = "none", .help = "Where optimizer states live, if not on the GPU."},
     choice<&TrainingRequest::optimizer_offload>(),
     &member<&Scenario::training, &Training::optimizer_offload>},
    {{.key = "parameter_offload", .fallback = "none", .help = "Where parameter shards live, if not on the GPU."},
     choice<&TrainingRequest::parameter_offload>(),
     &member<&Scenario::training, &Training::parameter_offload>},
    {{"reduce_bucket_size", "elements", 1, limit::elements, "5e8", "DeepSpeed: gradients reduced at a time."},
     &TrainingRequest::reduce_bucket_size,
     &of_stage_1<&ZeroBuffers::reduce_bucket>},
    {{"stage3_prefetch_bucket_size", "elements", 0, limit::elements, "5e7",
      "DeepSpeed: parameters gathered ahead of their use."},
     &TrainingRequest::stage3_prefetch_bucket_size,
     &of_stage_3<&ZeroBuffers::prefetch_bucket>},
    {{"stage3_max_reuse_distance", "elements", 0, limit::elements, "1e9",
      "DeepSpeed: parameters used again within this distance stay gathered."},
     &TrainingRequest::stage3_max_reuse_distance,
     &of_stage_3<&ZeroBuffers::reuse_distance>},
    {{"sub_group_size", "elements", 1, limit::elements, "1e9",
      "DeepSpeed: part of the shard that is stepped at a time."},
     &TrainingRequest::sub_group_size,
     &of_stage_3<&ZeroBuffers::sub_group>},
    {{"zero_hpz_partition_size", "ranks", 1, limit::gpus, "1: none",
      "ZeRO++: ranks that hold a second copy of the parameters together, usually those of a node."},
     &TrainingRequest::zero_hpz_partition_size,
     &of_zero_plus_plus<&ZeroPlusPlus::partition>},
    {{.key = "zero_quantized_weights",
      .fallback = "false",
      .help = "ZeRO++: whether parameters are gathered in 8 bits."},
     &TrainingRequest::zero_quantized_weights,
     &of_zero_plus_plus<&ZeroPlusPlus::quantised_weights>},
    {{.key = "zero_quantized_gradients",
      .fallback = "false",
      .help = "ZeRO++: whether gradients are reduced in 4 bits, by two all-to-alls."},
     &TrainingRequest::zero_quantized_gradients,
     &of_zero_plus_plus<&ZeroPlusPlus::quantised_gradients>},
    {{.key = "dropout",
      .fallback = "true where the engine trains the model family with dropout",
      .help = "Whether dropout masks are kept."},
     &TrainingRequest::dropout,
     &member<&Scenario::training, &Training::dropout>},
    {{"moe_load_factor", "", 1, limit::load_factor, "1", "Tokens on the fullest expert rank over the mean."},
     &TrainingRequest::moe_load_factor,
     &member<&Scenario::training, &Training::moe_load_factor>},
    {{"moe_capacity_factor", "", 0, limit::load_factor, "0: dropless",
      "Tokens that an expert takes at most, over the mean; the rest is dropped."},
     &TrainingRequest::moe_capacity_factor,
     &moe_capacity_factor},
    {{.key = "moe_dispatcher", .fallback = "alltoall", .help = "How tokens reach their experts."},
     choice<&TrainingRequest::moe_dispatcher>(),
     &moe_dispatcher},
    {{.key = "moe_dispatch_dtype",
      .fallback = "that of activations",
      .help = "Number format of tokens on their way to the experts, and of gradients there; back it is that of "
              "activations."},
     Choice<TrainingRequest>{all_names<DataType>().first(4), choice<&TrainingRequest::moe_dispatch_dtype>().set},
     &moe_dispatch_dtype},
    {{.key = "moe_grouped_gemm",
      .fallback = "true",
      .help = "Whether the experts of a rank run as one grouped product, or one after the other."},
     &TrainingRequest::moe_grouped_gemm,
     &moe_grouped_gemm},
    {{"tokens", "tokens", 0, limit::tokens, "0: not asked", "Tokens of the whole run."},
     &TrainingRequest::tokens,
     &member<&Scenario::training, &Training::tokens>},
});

}  // namespace

std::span<const Field<TrainingRequest>> training_fields() { return training_table; }

}  // namespace meshgauge
