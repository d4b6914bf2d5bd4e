// The training recipe: engine, number formats, optimizer, batch, recompute, kernels.
#pragma once

#include <compare>
#include <cstdint>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class Engine {
  single,
  dp,
  ddp,
  fsdp1,
  fsdp2,
  deepspeed,
  megatron,
  hf,
  torchtitan,
  megatron_deepspeed,
  aleph_alpha
};
MESHGAUGE_NAMES(Engine, "single", "dp", "ddp", "fsdp1", "fsdp2", "deepspeed", "megatron", "hf", "torchtitan",
                "megatron_deepspeed", "aleph_alpha");
/// Megatron's layers, whoever keeps the optimizer: vocabulary padded, fused kernels, dropout unless told otherwise.
[[nodiscard]] constexpr bool has_megatron_layers(Engine e) {
  return e == Engine::megatron || e == Engine::megatron_deepspeed;
}

/// bf16, fp16, fp8, mxfp8, nvfp4: mixed precision with fp32 master state, as the engine does it. fp8 has one scale for
/// a tensor or a block of 128, mxfp8 one for 32 elements. pure_bf16: everything 16-bit.
enum class Precision { fp32, tf32, bf16, fp16, fp8, pure_bf16, mxfp8, nvfp4 };
MESHGAUGE_NAMES(Precision, "fp32", "tf32", "bf16", "fp16", "fp8", "pure_bf16", "mxfp8", "nvfp4");

enum class DataType { fp32, bf16, fp16, fp8, int64, int8 };
MESHGAUGE_NAMES(DataType, "fp32", "bf16", "fp16", "fp8", "int64", "int8");
[[nodiscard]] constexpr double bytes_of(DataType t) {
  const bool one = t == DataType::fp8 || t == DataType::int8;
  return t == DataType::int64 ? 8.0 : t == DataType::fp32 ? 4.0 : one ? 1.0 : 2.0;
}

enum class Optimizer { adamw, adamw_8bit, adafactor, sgd, momentum, lion, muon };
MESHGAUGE_NAMES(Optimizer, "adamw", "adamw_8bit", "adafactor", "sgd", "momentum", "lion", "muon");

enum class Recompute { none, selective, full };
MESHGAUGE_NAMES(Recompute, "none", "selective", "full");

/// Of full recompute: uniform checkpoints every n layers, block recomputes the first n layers of a stage.
enum class RecomputeMethod { uniform, block };
MESHGAUGE_NAMES(RecomputeMethod, "uniform", "block");

/// What selective recompute discards (Megatron-LM --recompute-modules). A bit set. operators: PyTorch's selective
/// checkpointing as torchtitan sets it, which keeps attention's output and every second matrix product of a layer.
struct RecomputeModules {
  bool core_attention = false;
  bool layernorm = false;
  bool mlp = false;
  bool moe_activation = false;
  bool mla_up_projection = false;
  bool operators = false;

  bool operator==(const RecomputeModules&) const = default;
};

/// flash: FlashAttention 2 or 3; cudnn: cuDNN's fused attention; sdpa: PyTorch's scaled_dot_product_attention on a
/// flash kernel, for which eager models expand keys and values to all heads; unfused: the score matrix is kept; flash1
/// and triton: FlashAttention 1 and its Triton form, which keep what flash keeps and are slower.
enum class Attention { flash, unfused, cudnn, sdpa, flash1, triton };
MESHGAUGE_NAMES(Attention, "flash", "unfused", "cudnn", "sdpa", "flash1", "triton");

/// unfused: what the engine does by default (fp32 copies); native: Megatron's compiled fusion; fused: in-place 16-bit
/// (Transformer Engine, Triton); chunked: fused with the head (Liger).
enum class Loss { unfused, fused, chunked, native };
MESHGAUGE_NAMES(Loss, "unfused", "fused", "chunked", "native");

/// fused: Transformer Engine or Megatron fusions; eager: plain PyTorch or Hugging Face modules; compiled:
/// torch.compile.
enum class Kernels { fused, eager, compiled };
MESHGAUGE_NAMES(Kernels, "fused", "eager", "compiled");

/// lora: 16-bit frozen base; qlora: 4-bit NF4 base (bitsandbytes); gptq_lora: 4-bit GPTQ base.
enum class Peft { none, lora, qlora, gptq_lora };
MESHGAUGE_NAMES(Peft, "none", "lora", "qlora", "gptq_lora");

/// Which matrices of a layer carry an adapter.
enum class LoraTargets { query_value, attention, all_linear };
MESHGAUGE_NAMES(LoraTargets, "query_value", "attention", "all_linear");

/// dpo: policy and frozen reference on chosen and rejected answers; reward: chosen and rejected, a scalar head.
enum class Objective { next_token, dpo, reward };
MESHGAUGE_NAMES(Objective, "next_token", "dpo", "reward");

/// plain: peft's modules; fused: one operator for base and adapter (unsloth, fms-acceleration).
enum class LoraKernels { plain, fused };
MESHGAUGE_NAMES(LoraKernels, "plain", "fused");

/// How tokens reach their experts (Megatron-LM --moe-token-dispatcher-type; deepep and hybridep are its flex backends).
enum class MoeDispatcher { alltoall, allgather, deepep, hybridep };
MESHGAUGE_NAMES(MoeDispatcher, "alltoall", "allgather", "deepep", "hybridep");

enum class Offload { none, cpu, nvme };
MESHGAUGE_NAMES(Offload, "none", "cpu", "nvme");

/// DeepSpeed's configuration, under its own names (deepspeed/runtime/zero/config.py); sizes in elements.
struct ZeroBuffers {
  double reduce_bucket = 0;      ///< 0: the engine's
  double prefetch_bucket = 5e7;  ///< stage 3: gathered ahead of use
  double reuse_distance = 1e9;   ///< stage 3: what is used again within it stays gathered
  double sub_group = 1e9;        ///< stage 3: the optimizer steps through the shard in pieces
};

/// ZeRO++ (Wang et al. 2023, arXiv:2306.10209 section 3), stage 3 alone.
struct ZeroPlusPlus {
  std::int64_t partition = 1;        ///< hpZ: ranks over which a second copy of the parameters is cut; 1: none
  bool quantised_weights = false;    ///< qwZ: parameters are gathered in 8 bits
  bool quantised_gradients = false;  ///< qgZ: gradients are reduced in 4 bits by two all-to-alls
};

/// Of the engine's software, as in "0.14" or "4.45.2"; the patch level makes no difference to memory.
struct EngineVersion {
  std::int64_t major = 0, minor = 0;

  auto operator<=>(const EngineVersion&) const = default;  // NOLINT(modernize-use-nullptr): the literal 0 of <=>
};

struct Training {
  Engine engine = Engine::ddp;
  Precision precision = Precision::bf16;
  Optimizer optimizer = Optimizer::adamw;
  DataType gradient_dtype = DataType::fp32;
  std::int64_t sequence_length = 0;
  std::int64_t micro_batch_size = 1;   ///< sequences per forward of one replica
  std::int64_t global_batch_size = 1;  ///< sequences per optimizer step
  Recompute recompute = Recompute::none;
  RecomputeMethod recompute_method = RecomputeMethod::uniform;
  std::int64_t recompute_layers = 1;
  RecomputeModules recompute_modules;
  Attention attention = Attention::flash;
  Loss loss = Loss::unfused;
  Kernels kernels = Kernels::eager;
  bool fused_norm = true;  ///< RMSNorm is one kernel
  EngineVersion engine_version;
  DataType reduce_dtype = DataType::fp32;    ///< as gradients travel between replicas
  DataType boundary_dtype = DataType::bf16;  ///< as activations and their gradients travel between stages
  DataType moment_dtype = DataType::fp32;
  DataType master_dtype = DataType::fp32;
  bool fp8_parameters = false;  ///< weights are stored and gathered in fp8
  bool gradient_accumulation_fusion = false;
  bool attention_mask = false;  ///< the data loader makes a b x 1 x s x s mask
  bool deterministic = false;
  Peft peft = Peft::none;
  std::int64_t lora_rank = 16;
  LoraTargets lora_targets = LoraTargets::attention;
  LoraKernels lora_kernels = LoraKernels::plain;
  std::int64_t document_length = 0;  ///< mean, of documents packed into a sequence; 0: a sequence is one document
  double batch_fill = 1;             ///< share of a batch's tokens that are no padding
  double lora_dropout = 0;           ///< of the adapters' inputs; above 0 each adapter keeps a copy of its own
  bool expandable_segments = false;  ///< PYTORCH_CUDA_ALLOC_CONF: the allocator grows segments instead of adding some
  bool double_quantisation = false;
  bool upcast_residual = false;  ///< fp32 norms and residual stream (peft prepare_model_for_kbit_training)
  Objective objective = Objective::next_token;
  Offload optimizer_offload = Offload::none;
  Offload parameter_offload = Offload::none;
  ZeroBuffers zero_buffers;
  ZeroPlusPlus zero_plus_plus;
  bool overlap_gradient_reduction = false;
  bool overlap_parameter_gather = false;
  bool overlap_tensor_parallel = false;  ///< Transformer Engine user buffers: collectives beside their own products
  bool overlap_expert_parallel = false;
  bool overlap_pipeline = false;
  bool cuda_graphs = false;  ///< layers are replayed: the host launches nothing in them
  MoeDispatcher moe_dispatcher = MoeDispatcher::alltoall;
  DataType moe_dispatch_dtype = DataType::bf16;  ///< of tokens on their way to the experts
  bool moe_grouped_gemm = true;    ///< one grouped product for all local experts, else one after the other
  double moe_capacity_factor = 0;  ///< 0: dropless
  bool dropout = false;            ///< hidden (and unfused attention) dropout masks are kept
  double moe_load_factor = 1;      ///< tokens on the fullest expert rank over the mean
  double tokens = 0;               ///< length of the run; 0 = not asked

  /// Sequences that one sample of the batch is: preferences come as a chosen and a rejected answer.
  [[nodiscard]] constexpr std::int64_t sequences_per_sample() const {
    return objective == Objective::next_token ? 1 : 2;
  }
  /// Tokens of the fullest expert rank over the mean: routing's imbalance, cut off where experts have a capacity.
  [[nodiscard]] constexpr double expert_load() const {
    return moe_capacity_factor > 0 && moe_capacity_factor < moe_load_factor ? moe_capacity_factor : moe_load_factor;
  }
};

/// Bytes of an activation element in the matrix products.
[[nodiscard]] constexpr double activation_bytes(Precision p) {
  return p == Precision::fp32 || p == Precision::tf32 ? 4.0 : 2.0;
}
[[nodiscard]] constexpr DataType activation_dtype(Precision p) {
  if (activation_bytes(p) > 2) return DataType::fp32;
  return p == Precision::fp16 ? DataType::fp16 : DataType::bf16;
}
[[nodiscard]] constexpr bool is_low(Precision p) {  ///< products in 8 bits or fewer
  return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::nvfp4;
}
/// Transformer Engine keeps inputs of products quantised: one byte, with a scale byte for 32 elements under mxfp8; half
/// a byte with a scale byte for 16 under nvfp4 (TransformerEngine docs, low precision training).
[[nodiscard]] constexpr double product_input_bytes(Precision p) {
  switch (p) {
    case Precision::fp8:
      return 1;
    case Precision::mxfp8:
      return 1 + 1.0 / 32;
    case Precision::nvfp4:
      return 0.5 + 1.0 / 16;
    default:
      return activation_bytes(p);
  }
}
[[nodiscard]] constexpr bool is_mixed(Precision p) { return p == Precision::bf16 || p == Precision::fp16 || is_low(p); }

}  // namespace meshgauge
